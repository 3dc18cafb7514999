// Turns ftrace events into slices, instants and counters.
#include <algorithm>
#include <array>

#include "instrumentation/import/perfetto/perfetto_ftrace.h"
#include "instrumentation/import/perfetto/perfetto_ftrace_fields.h"

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Names of the counters of a process's memory. Index: the kernel's number of the counter, from
// linux/mm_types_task.h. Samples that the process_stats probe reads from /proc have the same names, so they
// are on the same track.
constexpr std::array<std::string_view, 5> kRssNames{"mem.rss.file", "mem.rss.anon", "mem.swap",
                                                    "mem.rss.shmem", "mem.unreclaimable"};

// Some kernel drivers do not write atrace text, but events of their own kinds with the same content. These
// are the numbers of the fields with this content. 0: the event has no such field.
struct MarkFields {
  std::uint32_t event = 0, pid = 0, name = 0, phase = 0, begin = 0, value = 0;
};
constexpr MarkFields kMarks[] = {
    {ftrace_event::kTracingMarkWrite, 1, 2, 0, 3, 0}, {ftrace_event::kSdeMarkWrite, 1, 2, 3, 5, 4},
    {ftrace_event::kDpuMarkWrite, 1, 4, 5, 3, 6},     {ftrace_event::kG2dMarkWrite, 1, 4, 5, 0, 6},
    {ftrace_event::kMaliMarkWrite, 2, 1, 3, 0, 4},    {ftrace_event::kLwisMarkWrite, 1, 4, 6, 3, 7},
    {ftrace_event::kSamsungMarkWrite, 1, 2, 4, 3, 5},
};

// For an event kind that reports counters: the field with the value, and the field that says which counter it
// is.
struct CounterFields {
  std::uint32_t event = 0;
  // field that identifies the counter, by a number or a text; 0: the event has only one counter
  std::uint32_t key = 0;
  std::uint32_t value = 0;
  SystemGroup group = SystemGroup::kSystem;
  // the counter's name is `before`, then the value of the field `key`, then `after`
  std::string_view before, after;
  Unit unit = Unit::kNone;
};
constexpr CounterFields kCounters[] = {
    {ftrace_event::kCpuFrequency, 2, 1, SystemGroup::kCpu, "CPU ", " frequency (kHz)"},
    {ftrace_event::kGpuFrequency, 1, 2, SystemGroup::kSystem, "GPU ", " frequency (kHz)"},
    {ftrace_event::kClockSetRate, 1, 2, SystemGroup::kSystem, "", " frequency"},
    {ftrace_event::kClockEnable, 1, 2, SystemGroup::kSystem, "", " state"},
    {ftrace_event::kClockDisable, 1, 2, SystemGroup::kSystem, "", " state"},
    {ftrace_event::kClkSetRate, 1, 2, SystemGroup::kSystem, "", " frequency"},
    {ftrace_event::kThermalTemperature, 4, 2, SystemGroup::kSystem, "", " temperature (m°C)"},
    {ftrace_event::kCdevUpdate, 2, 1, SystemGroup::kSystem, "", " cooling"},
    {ftrace_event::kDmaHeapStat, 0, 3, SystemGroup::kMemory, "mem.dma_heap", "", Unit::kBytes},
    {ftrace_event::kIonStat, 0, 3, SystemGroup::kMemory, "mem.ion", "", Unit::kBytes},
};

// Index: softirq number, from linux/interrupt.h.
constexpr std::array<std::string_view, 10> kSoftirqs{"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                                     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

std::string key_text(const SmallMessage& event, std::uint32_t field) {
  if (field == 0) return {};
  return event.text(field).empty() ? std::to_string(event.uint32(field)) : std::string(event.text(field));
}

}  // namespace

void FtraceReader::add_event(EventKind kind, NodeId track, std::string_view name, ClockTime time) {
  Event event{.time = time, .track = track, .kind = kind, .name = out_.intern(name)};
  event.first_flow = static_cast<std::uint32_t>(out_.flows.size());
  out_.events.push_back(event);
}

// ---- atrace -----------------------------------------------------------------------------------------------

void FtraceReader::add_text(std::string_view text, const EventOrigin& at) {
  if (is_clock_sync(text)) return;
  const std::optional<AtracePoint> point = parse_atrace(text);
  if (!point) return skip(ftrace_event::kPrint);
  tasks_.set_own_pid(at.tid, point->pid);
  add_point(*point, at);
}

void FtraceReader::add_point(const AtracePoint& point, const EventOrigin& at) {
  const auto async = [&](std::string_view scope, std::string_view name, std::int64_t id) {
    const std::string key = std::string(scope) + std::to_string(point.pid) + "/" + std::string(name);
    return out_.tracks.async(point.pid, key, static_cast<std::uint64_t>(id), name);
  };
  const auto async_slice = [&](EventKind kind) {
    const NodeId track = point.track.empty() ? async("atrace/", point.name, point.cookie)
                                             : async("atrace track/", point.track, point.cookie);
    add_event(kind, track, kind == EventKind::kBegin ? point.name : std::string_view(), at.time);
  };
  switch (point.kind) {
    case AtracePoint::Kind::kBegin:
      return add_event(EventKind::kBegin, tasks_.track(at.tid), point.name, at.time);
    case AtracePoint::Kind::kEnd:
      return add_event(EventKind::kEnd, tasks_.track(at.tid), {}, at.time);
    case AtracePoint::Kind::kAsyncBegin:
      return async_slice(EventKind::kBegin);
    case AtracePoint::Kind::kAsyncEnd:
      return async_slice(EventKind::kEnd);
    case AtracePoint::Kind::kInstant:
      return add_event(EventKind::kInstant,
                       point.track.empty() ? tasks_.track(at.tid) : async("atrace instant/", point.track, 0),
                       point.name, at.time);
    case AtracePoint::Kind::kCounter:
      if (point.pid != 0)
        return add_sample(out_.tracks.named_counter(point.pid, point.name), point.value, at.time);
      task_samples_.push_back({at.time, at.tid, out_.intern(point.name), Unit::kNone, point.value});
  }
}

bool FtraceReader::act_on_mark(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  AtracePoint point;
  char phase = 0;
  if (kind == ftrace_event::kZero) {
    // The event's flags, in kernels that have them: 1 begin, 2 end, 4 a value.
    const std::uint32_t flags = event.uint32(1);
    phase = (flags & 1) != 0 ? 'B' : (flags & 2) != 0 ? 'E' : (flags & 4) != 0 ? 'C' : '?';
    point.name = event.text(2);
    point.pid = event.int32(3);
    point.value = static_cast<double>(event.integer(4));
  } else {
    const auto* mark = std::ranges::find(kMarks, kind, &MarkFields::event);
    if (mark == std::end(kMarks)) return false;
    phase = mark->phase != 0 ? static_cast<char>(event.bits(mark->phase)) : '\0';
    if (phase == 0 && mark->begin != 0) phase = event.bits(mark->begin) != 0 ? 'B' : 'E';
    point.name = event.text(mark->name);
    point.pid = event.int32(mark->pid);
    if (mark->value != 0) point.value = static_cast<double>(event.integer(mark->value));
  }
  if (phase != 'B' && phase != 'E' && phase != 'C') return false;
  point.kind = phase == 'B'   ? AtracePoint::Kind::kBegin
               : phase == 'E' ? AtracePoint::Kind::kEnd
                              : AtracePoint::Kind::kCounter;
  add_point(point, at);
  return true;
}

// ---- counters ---------------------------------------------------------------------------------------------

bool FtraceReader::act_on_counter(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  if (kind == ftrace_event::kCpuIdle) {
    // The kernel writes the state -1 for a cpu that is not idle, so the number is read as signed.
    const std::string name = "CPU " + std::to_string(event.uint32(2)) + " idle state";
    add_sample(out_.tracks.system_counter(SystemGroup::kCpu, name, Unit::kNone, cpu_rank(event.uint32(2), 1)),
               event.int32(1), at.time);
    return true;
  }
  if (kind == ftrace_event::kClkEnable || kind == ftrace_event::kClkDisable) {
    const std::string name = std::string(event.text(1)) + " state";
    add_sample(out_.tracks.system_counter(SystemGroup::kSystem, name, Unit::kNone, 0),
               kind == ftrace_event::kClkEnable ? 1 : 0, at.time);
    return true;
  }
  const auto* fields = std::ranges::find(kCounters, kind, &CounterFields::event);
  if (fields == std::end(kCounters)) return false;
  const std::string name =
      std::string(fields->before) + key_text(event, fields->key) + std::string(fields->after);
  const bool of_cpu = fields->group == SystemGroup::kCpu;
  const NodeId counter = out_.tracks.system_counter(fields->group, name, fields->unit,
                                                    of_cpu ? cpu_rank(event.uint32(fields->key), 0) : 0);
  add_sample(counter, static_cast<double>(event.integer(fields->value)), at.time);
  return true;
}

bool FtraceReader::act_on_memory(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  switch (kind) {
    case ftrace_event::kRssStat:
    case ftrace_event::kRssStatThrottled:
      add_rss(event, kind == ftrace_event::kRssStatThrottled, at);
      return true;
    case ftrace_event::kMmEvent:
      return add_mm_event(event, at);
    case ftrace_event::kOomScoreAdj:
      // The value has 16 bits. Older writers stored a negative value in 32 bits, so only the low 16 bits are
      // read.
      task_samples_.push_back({at.time, event.int32(3), out_.intern("oom_score_adj"), Unit::kNone,
                               static_cast<double>(static_cast<std::int16_t>(event.bits(2)))});
      return true;
    case ftrace_event::kIonHeapGrow:
    case ftrace_event::kIonHeapShrink: {
      // Field 3 is the total before the change.
      const auto change = static_cast<double>(event.integer(2));
      const double total =
          static_cast<double>(event.integer(3)) + (kind == ftrace_event::kIonHeapGrow ? change : -change);
      const std::string name = "mem.ion." + std::string(event.text(1));
      add_sample(out_.tracks.system_counter(SystemGroup::kMemory, name, Unit::kBytes, 0), total, at.time);
      return true;
    }
    case ftrace_event::kGpuMemTotal:
      add_sample(out_.tracks.gpu_memory(event.uint32(2)), static_cast<double>(event.bits(3)), at.time);
      return true;
    default:
      return false;
  }
}

void FtraceReader::add_rss(const SmallMessage& event, bool throttled, const EventOrigin& at) {
  RssChange change{.time = at.time, .tid = at.tid};
  change.member = event.int32(throttled ? 2 : 1);
  change.size_bytes = event.integer(throttled ? 4 : 2);
  const std::uint32_t own = throttled ? 1 : 3, memory = throttled ? 3 : 4;
  if (event.has(memory) && (throttled || event.has(own))) {
    change.memory = event.uint32(memory);
    change.own_memory = event.bits(own) != 0;
  }
  rss_.push_back(change);
}

// A thread may change the memory of another process. The trace names the owner of an address space only when
// the owner itself changes that memory. A change by another thread is skipped if the owner is not known yet.
void FtraceReader::take_rss() {
  std::stable_sort(rss_.begin(), rss_.end(),
                   [](const RssChange& a, const RssChange& b) { return a.time.ns < b.time.ns; });
  // key: the address space; value: a thread of the process that owns the address space
  std::unordered_map<std::uint32_t, std::int64_t> owners;
  for (const RssChange& change : rss_) {
    std::int64_t owner = change.tid;
    bool known = true;
    if (change.memory && change.own_memory) {
      owners[*change.memory] = change.tid;
    } else if (change.memory) {
      const auto found = owners.find(*change.memory);
      // The known owner may be this thread although the event says that the memory belongs to another
      // process. Then the address space has a new owner, which is not known yet.
      known = found != owners.end() && found->second != change.tid;
      if (known) owner = found->second;
      if (!known && found != owners.end()) owners.erase(found);
    }
    const bool has_name = change.member >= 0 && static_cast<std::size_t>(change.member) < kRssNames.size();
    if (!known || !has_name || change.size_bytes < 0) {
      skip(ftrace_event::kRssStat);
      continue;
    }
    task_samples_.push_back({change.time, owner,
                             out_.intern(kRssNames[static_cast<std::size_t>(change.member)]), Unit::kBytes,
                             static_cast<double>(change.size_bytes)});
  }
  rss_ = {};
}

// Adds samples of the kernel's statistics about one type of memory event: count, maximum and average latency.
// Each value covers the time since the previous report.
bool FtraceReader::add_mm_event(const SmallMessage& event, const EventOrigin& at) {
  constexpr std::array<std::string_view, 7> kTypes{"min_flt", "maj_flt", "read_io",   "compaction",
                                                   "reclaim", "swp_flt", "kern_alloc"};
  if (event.uint32(4) >= kTypes.size()) return false;
  const std::string name = "mem.mm." + std::string(kTypes[event.uint32(4)]);
  constexpr std::pair<std::uint32_t, std::string_view> kValues[] = {
      {2, ".count"}, {3, ".max_lat"}, {1, ".avg_lat"}};
  for (const auto& [field, ending] : kValues) {
    task_samples_.push_back({at.time, at.tid, out_.intern(name + std::string(ending)), Unit::kNone,
                             static_cast<double>(event.uint32(field))});
  }
  return true;
}

// ---- calls between processes ------------------------------------------------------------------------------

bool FtraceReader::act_on_binder(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  constexpr std::uint32_t kOneWay = 1;  // TF_ONE_WAY of linux/android/binder.h
  if (kind == ftrace_event::kBinderTransaction) {
    binder_.add(BinderBook::Sent{.time = at.time,
                                 .thread = tasks_.track(at.tid),
                                 .id = event.int32(1),
                                 .reply = event.bits(5) != 0,
                                 .one_way = (event.uint32(7) & kOneWay) != 0,
                                 .code = event.uint32(6),
                                 .to_process = event.int32(3)});
    return true;
  }
  if (kind != ftrace_event::kBinderReceived) return false;
  binder_.add(BinderBook::Received{.time = at.time, .thread = tasks_.track(at.tid), .id = event.int32(1)});
  return true;
}

// ---- interrupts -------------------------------------------------------------------------------------------

bool FtraceReader::act_on_interrupt(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  const auto track = [&](std::string_view what, std::int32_t within) {
    return out_.tracks.system_track(SystemGroup::kInterrupts,
                                    "CPU " + std::to_string(at.cpu) + std::string(what),
                                    cpu_rank(at.cpu, within));
  };
  switch (kind) {
    case ftrace_event::kIrqEntry: {
      const std::string number = std::to_string(event.int32(1));
      add_event(EventKind::kBegin, track(" IRQs", 0),
                event.text(2).empty() ? "IRQ " + number : "IRQ (" + std::string(event.text(2)) + ")",
                at.time);
      return true;
    }
    case ftrace_event::kIrqExit:
      add_event(EventKind::kEnd, track(" IRQs", 0), {}, at.time);
      return true;
    case ftrace_event::kSoftirqEntry: {
      const std::uint32_t number = event.uint32(1);
      add_event(
          EventKind::kBegin, track(" softirqs", 1),
          number < kSoftirqs.size() ? std::string(kSoftirqs[number]) : "softirq " + std::to_string(number),
          at.time);
      return true;
    }
    case ftrace_event::kSoftirqExit:
      add_event(EventKind::kEnd, track(" softirqs", 1), {}, at.time);
      return true;
    case ftrace_event::kDirectReclaimBegin:
      add_event(EventKind::kBegin, tasks_.track(at.tid), "mm_vmscan_direct_reclaim", at.time);
      return true;
    case ftrace_event::kDirectReclaimEnd:
      add_event(EventKind::kEnd, tasks_.track(at.tid), {}, at.time);
      return true;
    default:
      return false;
  }
}

}  // namespace runahead::importers::perfetto
