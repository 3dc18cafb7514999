// The figures of the strip and of a measured range, worked out on a thread of their own on a snapshot, so
// that a long trace never holds up a frame.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "gui/panels/model.h"
#include "gui/panels/settling.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct FiguresQuestion {
  trace::Trace snapshot;
  std::uint64_t trace_serial = 0;  // another number is another trace, not the same one grown
  std::optional<TimeRange> range;
};
struct FiguresAnswer {
  std::optional<StripTracker::State> strip;
  std::optional<TimeRange> range;  // the one asked about
  RangeFacts range_facts;
  double cost_ms = 0;
};

// One question at a time.
//   owner   ask(), take(), busy()      worker  answers
class Figures {
 public:
  explicit Figures(std::function<void()> wake);  // called on the worker when an answer is there
  ~Figures();
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;

  [[nodiscard]] bool busy() const { return asked_; }
  void ask(FiguresQuestion question);  // REQUIRES: not busy()
  [[nodiscard]] std::optional<FiguresAnswer> take();

 private:
  void work(const std::stop_token& stop);

  const std::function<void()> wake_;
  bool asked_ = false;  // the owner's own
  std::mutex mutex_;    // guards question_ and answer_
  std::condition_variable_any changed_;
  std::optional<FiguresQuestion> question_;
  std::optional<FiguresAnswer> answer_;
  std::jthread thread_;  // last: joins before what it uses goes
};

}  // namespace runahead::gui
