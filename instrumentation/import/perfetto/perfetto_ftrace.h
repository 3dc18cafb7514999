// The kernel's events in a Perfetto trace. They come in bundles; each bundle is from one cpu. Atrace texts
// become slices, instants and counters. Scheduler switches become runs (times in which a thread runs on a
// cpu) on a track for each cpu. Other values, such as frequencies and sizes of memory, become counters.
// Omitted events are counted by their name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/import/common/small_message.h"
#include "instrumentation/import/perfetto/perfetto_atrace.h"
#include "instrumentation/import/perfetto/perfetto_binder.h"
#include "instrumentation/import/perfetto/perfetto_decoded.h"
#include "instrumentation/import/perfetto/perfetto_sched.h"
#include "instrumentation/import/perfetto/perfetto_tasks.h"

namespace runahead::importers::perfetto {
using namespace trace;

class FtraceReader {
 public:
  FtraceReader(Decoded& out, TaskBook& tasks) : out_(out), tasks_(tasks) {}  // both must outlive this

  // Reads a FtraceEventBundle.
  void bundle(std::string_view message);
  // Makes the rows that can be made only when all threads are known. Call it once, after the last packet.
  // REQUIRES: TaskBook::resolve() was called.
  void finish();

 private:
  struct EventOrigin {
    ClockTime time;
    std::int64_t tid = 0;
    std::uint32_t cpu = 0;
  };
  struct Bundle;
  // A sample of a counter that belongs to the process of thread `tid`. The process may still be unknown when
  // the sample is read.
  struct TaskSample {
    ClockTime time;
    std::int64_t tid = 0;
    StringId name{};
    Unit unit = Unit::kNone;
    double value = 0;
  };
  struct RssChange {
    ClockTime time;
    std::int64_t tid = 0, size_bytes = 0;
    std::int32_t member = 0;
    std::optional<std::uint32_t> memory;  // the kernel's number of the address space
    bool own_memory = true;               // true: the address space is the thread's own
  };

  void set_clock(const Bundle& bundle);
  [[nodiscard]] ClockTime time(const Bundle& bundle, std::uint64_t ns);
  void read_compact(std::string_view message, const Bundle& bundle);
  void read_event(std::string_view message, const Bundle& bundle);
  void act_on(std::uint32_t kind, std::string_view payload, const EventOrigin& at);
  void skip(std::uint32_t kind, std::uint64_t count = 1) { skipped_[kind] += count; }
  // Each of these functions returns false if it does not handle events of this kind.
  bool act_on_sched(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_task(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_counter(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_memory(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_mark(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_binder(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);
  bool act_on_interrupt(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at);

  void add_text(std::string_view text, const EventOrigin& at);
  void add_point(const AtracePoint& point, const EventOrigin& at);
  void add_rss(const SmallMessage& event, bool throttled, const EventOrigin& at);
  bool add_mm_event(const SmallMessage& event, const EventOrigin& at);
  void add_event(EventKind kind, NodeId track, std::string_view name, ClockTime time);
  void add_sample(NodeId counter, double value, ClockTime time) {
    out_.samples.push_back({time, counter, value});
  }
  void take_rss();
  void take_task_samples();
  [[nodiscard]] NodeId counter_of(const TaskSample& sample);

  Decoded& out_;
  TaskBook& tasks_;
  SchedBook sched_;
  BinderBook binder_;
  std::vector<TaskSample> task_samples_;
  std::vector<RssChange> rss_;
  std::map<std::pair<std::int64_t, StringId>, NodeId> task_counters_;
  std::unordered_map<std::uint32_t, std::uint64_t> skipped_;  // key: field of FtraceEvent
  std::uint64_t last_clock_pair_ = 0;
};

}  // namespace runahead::importers::perfetto
