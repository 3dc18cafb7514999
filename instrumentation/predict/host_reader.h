// Reads what the host threads of an Execution did as frontends, for read_execution(). Internal to predict.
//
//   launch           the work is enqueued at the begin of the call, or at its end if the call waited for a
//                    place in the full queue
//   synchronisation  a wait for the last work before the call, on each stream that the call covers. A call
//                    that waits for unknown work is the thread's own time
//   fork             a thread that had been idle starts when its parent comes to the point that started it
//   join             the parent waits for the point at which the thread stopped
//   arrow            (flow, sequence) the thread goes on only after the other one has come to its point
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/steps.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/work_reader.h"

namespace runahead::predict {

// What a thread did at a time. Its own time does not include [from, to).
struct HostItem {
  Timestamp at{}, from{}, to{};
  int rank = 0;  // the order of items at the same time
  Event event;
};

struct ReadHost {
  Duration blocked{};       // of the thread that waited longest, in waits whose work is known
  Duration unknown_wait{};  // in others
  Timestamp end = Timestamp::min();
  std::array<std::vector<Duration>, kIdleCount> wake_ups;  // by how long the thread had waited
};

class HostReader {
 public:
  // All must outlive this.
  HostReader(const causes::Execution& execution, const causes::Steps& steps, const ReplayedPart& part,
             const std::vector<causes::Synchronisation>& all)
      : execution_(execution), steps_(steps), part_(part), all_(all) {}

  // The launch of each work, as far as the trace has it.
  [[nodiscard]] EnqueueTimes enqueue_times() const;
  // Adds frontends, wait_sets and signals to `program`. O(n log n).
  [[nodiscard]] ReadHost read(const ReadWorks& works, const EnqueueTimes& enqueue_times, Program& program);

 private:
  struct Thread {
    std::vector<HostItem> items;
    std::vector<TimeRange> blocked;  // in waits; sorted by begin
    Duration waited{};               // in waits whose work is known
  };
  [[nodiscard]] bool is_replayed(const causes::Synchronisation& sync) const;
  [[nodiscard]] bool waited_in_full_queue(const causes::Synchronisation& sync) const;
  [[nodiscard]] bool covers(const causes::HostCall& call, const causes::Stream& stream) const;
  [[nodiscard]] bool covers_all(const causes::Synchronisation& sync, causes::StreamIndex at) const;
  [[nodiscard]] causes::StreamIndex stream_of(const causes::Synchronisation& sync) const;
  [[nodiscard]] causes::WorkIndex work_of_event(const causes::HostCall& call) const;
  void add(TrackId thread, const HostItem& item) { threads_[thread].items.push_back(item); }
  void add_launches();
  void add_waits();
  void add_wait(const causes::Synchronisation& sync);
  std::vector<OpIndex> awaited_by(const causes::Synchronisation& sync) const;
  std::uint32_t place_of_call(const causes::HostCall& call, bool& is_explicit);
  void add_joins();
  void add_steps();
  void sort_blocked_times();
  [[nodiscard]] Timestamp position(TrackId thread, Timestamp t) const;
  void add_starts(TrackId thread, TrackId parent);
  [[nodiscard]] bool shows_something(TrackId thread, TimeRange range) const;
  [[nodiscard]] bool is_fork(TrackId thread, TrackId parent, Timestamp t) const;
  void add_flows();
  void take(TrackId thread, Thread& thread_items);

  const causes::Execution& execution_;
  const causes::Steps& steps_;
  const ReplayedPart part_;
  const std::vector<causes::Synchronisation>& all_;
  const ReadWorks* works_ = nullptr;
  const EnqueueTimes* enqueue_times_ = nullptr;
  Program* program_ = nullptr;
  TrackId main_ = kNoTrack;
  std::map<TrackId, Thread> threads_;  // kNoTrack: launches that no thread of the trace made
  std::map<std::pair<StringId, std::string>, std::uint32_t> places_;
  ReadHost out_;
};

}  // namespace runahead::predict
