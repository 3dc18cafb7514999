// LiveAnswer answers a question about the trace on the screen and keeps the answer up to date. A separate
// thread computes the answer. LiveAnswer asks again when the question changes, and from time to time while
// the trace grows.
//
// One thread (the window's thread) calls all functions. `wake` is called on the worker.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "gui/background/asker.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// How often an answer about a trace that grows is made again.
struct AnswerPace {
  std::chrono::duration<double, std::milli> least{1000};  // between two answers
  // At most this share of the worker's time; a question that changed does not wait.
  double most_share = 0.1;
};

// Asked is the type of the question; it needs operator==. Answer has the members `number` and `cost_ms`,
// which LiveAnswer fills in.
template <typename Asked, typename Answer>
class LiveAnswer {
 public:
  struct Question {
    Asked asked;
    trace::Trace snapshot;
    TimeRange range;  // the time range to examine
  };
  // Returns nullopt if `cancelled` was set before the answer was complete.
  using Work = std::function<std::optional<Answer>(const Question&, const std::atomic<bool>& cancelled)>;

  LiveAnswer(Work work, std::function<void()> wake, AnswerPace pace = {})
      : pace_(pace),
        asker_(
            [work = std::move(work)](const Numbered& question, const std::atomic<bool>& cancelled) {
              const auto begin = Clock::now();
              Outcome outcome{work(question.question, cancelled), question.serial};
              if (outcome.answer)
                outcome.answer->cost_ms =
                    std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
              return outcome;
            },
            std::move(wake)) {}

  // Takes a finished answer and asks again if needed. `wanted`: the question; nullopt if no answer is needed
  // now. `serial` identifies the trace on the screen. Returns true if the answer changed.
  bool poll(const trace::Trace& trace, std::uint64_t serial, const std::optional<Asked>& wanted,
            TimeRange range) {
    const bool changed = take(serial);
    if (!wanted) {
      if (asker_.busy()) asker_.cancel();
      return changed;
    }
    const Looked now{*wanted, range, serial};
    const bool grown = looked_version_ != trace.version() && Clock::now() >= look_again_;
    if (looked_ == now && !grown) return changed;
    if (asker_.busy()) {
      if (looked_ != now) asker_.cancel();
      return changed;
    }
    asker_.ask({{now.asked, trace.snapshot(), range}, serial});
    looked_ = now;
    looked_version_ = trace.version();
    return changed;
  }
  // Call when a different trace is shown on the screen.
  void forget() {
    asker_.cancel();
    answer_.reset();
  }

  [[nodiscard]] bool busy() const { return asker_.busy(); }
  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const Answer* answer() const { return answer_ ? &*answer_ : nullptr; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Numbered {
    Question question;
    std::uint64_t serial = 0;
  };
  struct Outcome {
    std::optional<Answer> answer;
    std::uint64_t serial = 0;
  };
  struct Looked {
    Asked asked;
    TimeRange range;
    std::uint64_t serial = 0;
    friend bool operator==(const Looked&, const Looked&) = default;
  };

  bool take(std::uint64_t serial) {
    std::optional<Outcome> outcome = asker_.take();
    if (!outcome) return false;
    if (!outcome->answer || outcome->serial != serial) {
      looked_.reset();  // allows the same question to be asked again
      return true;
    }
    outcome->answer->number = ++answers_;
    const std::chrono::duration<double, std::milli> pause{outcome->answer->cost_ms *
                                                          (1 / pace_.most_share - 1)};
    look_again_ =
        Clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(std::max(pace_.least, pause));
    answer_ = std::move(outcome->answer);
    return true;
  }

  const AnswerPace pace_;
  std::optional<Answer> answer_;
  std::optional<Looked> looked_;  // the last question asked
  std::uint64_t looked_version_ = 0, answers_ = 0;
  Clock::time_point look_again_{};
  // the last member: its thread ends before the members that the thread uses are destroyed
  Asker<Numbered, Outcome> asker_;
};

}  // namespace runahead::gui
