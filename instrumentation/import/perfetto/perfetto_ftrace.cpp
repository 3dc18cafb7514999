#include "instrumentation/import/perfetto/perfetto_ftrace.h"

#include <algorithm>
#include <array>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/perfetto/perfetto_ftrace_fields.h"
#include "instrumentation/import/perfetto/perfetto_kinds.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

// Ids for the clocks that only ftrace uses. They differ from the clock ids of the format, and from the ids of
// clocks that are valid in only one packet sequence.
constexpr std::uint32_t kFirstFtraceClock = 1u << 16;

std::uint32_t clock_of(std::uint32_t ftrace_clock) {
  switch (ftrace_clock) {
    case ftrace_bundle::kBoottime:
      return clocks::kBoottime;
    case ftrace_bundle::kMonotonicRaw:
      return clocks::kMonotonicRaw;
    default:
      return kFirstFtraceClock + (ftrace_clock & 0xffu);
  }
}

}  // namespace

struct FtraceReader::Bundle {
  std::uint32_t cpu = 0, clock = ftrace_bundle::kBoottime;
  std::vector<std::string_view> events, compact;
  std::optional<std::uint64_t> ftrace_time, boot_time;
};

// ---- bundles ----------------------------------------------------------------------------------------------

void FtraceReader::bundle(std::string_view message) {
  Bundle bundle;
  const bool whole = each_field(message, [&](const Field& field) {
    switch (field.number) {
      case ftrace_bundle::kCpu:
        bundle.cpu = field.uint32();
        break;
      case ftrace_bundle::kEvent:
        bundle.events.push_back(field.bytes);
        break;
      case ftrace_bundle::kCompactSched:
        bundle.compact.push_back(field.bytes);
        break;
      case ftrace_bundle::kClock:
        bundle.clock = field.uint32();
        break;
      case ftrace_bundle::kFtraceTimestamp:
        bundle.ftrace_time = field.bits;
        break;
      case ftrace_bundle::kBootTimestamp:
        bundle.boot_time = field.bits;
        break;
      default:
        break;
    }
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
  set_clock(bundle);
  for (const std::string_view compact : bundle.compact) read_compact(compact, bundle);
  for (const std::string_view event : bundle.events) read_event(event, bundle);
}

// The clock of a bundle may be in no snapshot. Such a bundle has a pair of readings, taken at the same time:
// one of its own clock and one of the boot clock. set_clock() adds this pair as a snapshot. Bundles that were
// read from the kernel together have the same pair, which is added only once.
void FtraceReader::set_clock(const Bundle& bundle) {
  const std::uint32_t clock = clock_of(bundle.clock);
  if (clock == clocks::kBoottime || !bundle.ftrace_time || !bundle.boot_time) return;
  if (*bundle.ftrace_time == last_clock_pair_) return;
  last_clock_pair_ = *bundle.ftrace_time;
  out_.clocks.add_snapshot(
      0, {{.id = clock, .time = *bundle.ftrace_time}, {.id = clocks::kBoottime, .time = *bundle.boot_time}});
}

ClockTime FtraceReader::time(const Bundle& bundle, std::uint64_t ns) {
  return out_.clocks.read(0, clock_of(bundle.clock), ns);
}

// Reads scheduler events that are stored in columns: one group of columns for switches, and one for wakeups.
// All columns of a group must have the same length.
void FtraceReader::read_compact(std::string_view message, const Bundle& bundle) {
  std::vector<std::string_view> names;
  std::array<std::vector<std::uint64_t>, compact_sched::kFields> columns;  // index: field
  bool whole = true;
  const bool ended = each_field(message, [&](const Field& field) {
    if (field.number == compact_sched::kInternTable) return names.push_back(field.bytes);
    if (field.number >= columns.size()) return;
    std::vector<std::uint64_t>& column = columns[field.number];
    whole = each_number(field, false, [&](std::uint64_t bits) { column.push_back(bits); }) && whole;
  });
  const auto name_task = [&](std::uint64_t tid, std::uint64_t comm) {
    if (comm < names.size()) return tasks_.set_kernel_name(static_cast<std::int32_t>(tid), names[comm]);
    whole = false;
  };
  const auto& deltas = columns[compact_sched::kSwitchTimestamp];
  const auto& states = columns[compact_sched::kSwitchPrevState];
  const auto& tids = columns[compact_sched::kSwitchNextPid];
  const auto& priorities = columns[compact_sched::kSwitchNextPrio];
  const auto& comms = columns[compact_sched::kSwitchNextComm];
  const auto [count, most] =
      std::minmax({deltas.size(), states.size(), tids.size(), priorities.size(), comms.size()});
  std::uint64_t ns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ns += deltas[i];
    sched_.add(bundle.cpu, {.time = time(bundle, ns),
                            .prev_tid = std::nullopt,
                            .prev_state = static_cast<std::int64_t>(states[i]),
                            .next_tid = static_cast<std::int32_t>(tids[i]),
                            .next_prio = static_cast<std::int32_t>(priorities[i])});
    name_task(tids[i], comms[i]);
  }
  const auto& woken = columns[compact_sched::kWakingPid];
  const auto& woken_comms = columns[compact_sched::kWakingComm];
  for (std::size_t i = 0; i < std::min(woken.size(), woken_comms.size()); ++i)
    name_task(woken[i], woken_comms[i]);
  skip(ftrace_event::kSchedWaking, columns[compact_sched::kWakingTimestamp].size());
  if (!ended || !whole || count != most) out_.lose(LossCause::kImportBroken);
}

void FtraceReader::read_event(std::string_view message, const Bundle& bundle) {
  std::optional<std::uint64_t> ns;
  EventOrigin at{.cpu = bundle.cpu};
  std::optional<Field> payload;
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == ftrace_event::kTimestamp) {
      ns = field.bits;
    } else if (field.number == ftrace_event::kPid) {
      at.tid = field.int32();
    } else if (!field.is_number()) {
      payload = field;
    }
  });
  // The kind of an event is the field number of its payload, so an event without a payload has no kind. An
  // empty message also counts as a payload.
  if (!whole || !ns || !payload) return out_.lose(LossCause::kImportBroken);
  at.time = time(bundle, *ns);
  act_on(payload->number, payload->bytes, at);
}

// ---- events -----------------------------------------------------------------------------------------------

void FtraceReader::act_on(std::uint32_t kind, std::string_view payload, const EventOrigin& at) {
  const SmallMessage event(payload);
  if (!event.whole()) return out_.lose(LossCause::kImportBroken);
  if (kind == ftrace_event::kPrint) return add_text(event.text(2), at);
  const bool done = act_on_sched(kind, event, at) || act_on_task(kind, event, at) ||
                    act_on_counter(kind, event, at) || act_on_memory(kind, event, at) ||
                    act_on_mark(kind, event, at) || act_on_binder(kind, event, at) ||
                    act_on_interrupt(kind, event, at);
  if (done) return;
  if (kind == ftrace_event::kGeneric) return out_.skip("ftrace", event.text(1));
  skip(kind);
}

bool FtraceReader::act_on_sched(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  switch (kind) {
    case ftrace_event::kSchedSwitch:
      tasks_.set_kernel_name(event.int32(2), event.text(1));
      tasks_.set_kernel_name(event.int32(6), event.text(5));
      sched_.add(at.cpu, {.time = at.time,
                          .prev_tid = event.int32(2),
                          .prev_state = event.integer(4),
                          .next_tid = event.int32(6),
                          .next_prio = event.int32(7)});
      return true;
    case ftrace_event::kSchedWakeup:
    case ftrace_event::kSchedWaking:
    case ftrace_event::kSchedWakeupNew:
      tasks_.set_kernel_name(event.int32(2), event.text(1));
      return false;  // only the name of the thread is used; the wakeup itself is not shown
    default:
      return false;
  }
}

// Handles threads that begin, are renamed or end: sets their names and processes.
bool FtraceReader::act_on_task(std::uint32_t kind, const SmallMessage& event, const EventOrigin& at) {
  constexpr std::uint64_t kCloneThread = 0x10000;  // linux/sched.h
  switch (kind) {
    case ftrace_event::kTaskNewtask:
      tasks_.set_kernel_name(event.int32(1), event.text(2));
      tasks_.set_started(event.int32(1), at.tid, (event.bits(3) & kCloneThread) != 0);
      return true;
    case ftrace_event::kTaskRename:
      tasks_.set_kernel_name(event.int32(1), event.text(3));
      return true;
    case ftrace_event::kSchedProcessExit:
      tasks_.set_kernel_name(event.int32(2), event.text(1));
      if (event.has(3)) tasks_.set_thread(event.int32(2), event.int32(3), {});
      return true;
    default:
      return false;
  }
}

// ---- after the last packet --------------------------------------------------------------------------------

NodeId FtraceReader::counter_of(const TaskSample& sample) {
  const auto [found, is_new] = task_counters_.try_emplace({sample.tid, sample.name});
  if (!is_new) return found->second;
  const std::string& name = out_.strings[raw(sample.name)];
  if (const std::int64_t pid = tasks_.pid(sample.tid); pid != 0)
    return found->second = out_.tracks.named_counter(pid, name, sample.unit);
  const std::string owner = tasks_.thread_name(sample.tid) + " " + std::to_string(sample.tid) + " ";
  return found->second =
             out_.tracks.system_counter(SystemGroup::kUnknownProcesses, owner + name, sample.unit, 0);
}

void FtraceReader::take_task_samples() {
  for (const TaskSample& sample : task_samples_) add_sample(counter_of(sample), sample.value, sample.time);
  task_samples_ = {};
}

void FtraceReader::finish() {
  take_rss();
  take_task_samples();
  sched_.make_runs(out_, tasks_);
  skip(ftrace_event::kBinderReceived, binder_.make_events(out_));
  for (const auto& [kind, count] : skipped_) out_.skip("ftrace", ftrace_event_kind(kind), count);
  skipped_.clear();
}

}  // namespace runahead::importers::perfetto
