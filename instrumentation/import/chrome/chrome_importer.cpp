#include "instrumentation/import/chrome/chrome_importer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "instrumentation/import/common/exact_time.h"
#include "instrumentation/import/common/nesting.h"

namespace runahead::importers {
using namespace trace;
namespace {

std::int32_t sort_index_from(double value) {
  constexpr double kLeast = std::numeric_limits<std::int32_t>::min() + 2.0;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max() - 2.0;
  return std::isnan(value) ? 0 : static_cast<std::int32_t>(std::clamp(value, kLeast, kMost));
}

// Returns the end of a complete event (phase X). Returns kNeverClosed if the duration is missing (the task
// was still running when the writer stopped), unreadable or too large. A negative duration gives an end
// before the start; nest_slices() corrects it.
Timestamp end_of_complete(const ChromeEvent& event) {
  const auto beyond = [&] {
    return event.ts_ns > 0 ? event.duration_ns >= kMostTimeNs - event.ts_ns
                           : event.duration_ns <= -kMostTimeNs - event.ts_ns;
  };
  if (!event.has_duration || beyond()) return kNeverClosed;
  return timestamp_from_ns(event.ts_ns + event.duration_ns);
}

}  // namespace

ChromeImporter::KnownNames::KnownNames(ImportNames& names)
    : process_name(names.intern("process_name")),
      process_labels(names.intern("process_labels")),
      process_sort_index(names.intern("process_sort_index")),
      thread_name(names.intern("thread_name")),
      thread_sort_index(names.intern("thread_sort_index")),
      name(names.intern("name")),
      labels(names.intern("labels")),
      sort_index(names.intern("sort_index")) {}

void ChromeImporter::see(Timestamp begin, Timestamp end) {
  first_ = std::min(first_, begin);
  last_ = std::max(last_, end);
}

void ChromeImporter::add(ChromeEvent& event) {
  ++events_;
  if (event.phase == 'M') return add_metadata(event);
  if (event.phase == 0 || event.bad_time) return add_loss(LossCause::kImportBroken);
  static constexpr std::string_view kOthers = "BEbenSFpTstfiIRC";
  const bool timed = event.phase == 'X' || kOthers.find(event.phase) != std::string_view::npos;
  if (!timed) return skip("phase", std::string_view(&event.phase, 1));
  if (!event.has_time) return add_loss(LossCause::kImportBroken);
  switch (event.phase) {
    case 'X':
      return add_complete(event);
    case 'B':
    case 'E':
      return add_edge(event);
    case 's':
      return add_flow(event, FlowPoint::Phase::kStart);
    case 't':
      return add_flow(event, FlowPoint::Phase::kStep);
    case 'f':
      return add_flow(event, FlowPoint::Phase::kEnd);
    case 'i':
    case 'I':
    case 'R':
      return add_instant(event);
    case 'C':
      return add_counter(event);
    default:
      return add_async(event);
  }
}

// ---- slices -----------------------------------------------------------------------------------------------

void ChromeImporter::add_complete(ChromeEvent& event) {
  const std::uint32_t index = tracks_.thread(event.pid, event.tid);
  const SliceMeaning meaning = meanings_.of_slice(event);
  ImportedThread& thread = tracks_.threads[index];
  if (meaning.on_device) thread.role = ThreadRole::kStream;
  if (meaning.ops != OpSource::kUnknown) thread.ops = meaning.ops;
  // Fill the row in place: copying a value that was just written stalls the processor (store forwarding).
  Slice& slice = thread.slices.emplace_back();
  slice.begin = timestamp_from_ns(event.ts_ns);
  slice.end = end_of_complete(event);
  slice.name = event.name;
  slice.kind = meaning.kind;
  slice.flags = meaning.flags;
  slice.op = meaning.op;
  slice.size_bytes = meaning.size_bytes;
  slice.args = names_.add_args(event.args);
  see(slice.begin, std::max(slice.begin, slice.end));
  add_slice_flow(event, index);
}

void ChromeImporter::add_edge(ChromeEvent& event) {
  const std::uint32_t index = tracks_.thread(event.pid, event.tid);
  const SliceMeaning meaning = meanings_.of_edge(event);
  SliceEdge edge;
  edge.at = timestamp_from_ns(event.ts_ns);
  edge.name = event.name;
  edge.args = names_.add_args(event.args);
  edge.kind = meaning.kind;
  edge.end = event.phase == 'E';
  ImportedThread& thread = tracks_.threads[index];
  if (meaning.on_device) thread.role = ThreadRole::kStream;
  if (meaning.ops != OpSource::kUnknown) thread.ops = meaning.ops;
  thread.edges.push_back(edge);
  see(edge.at, edge.at);
  if (!edge.end) add_slice_flow(event, index);
}

void ChromeImporter::add_async(ChromeEvent& event) {
  // An asynchronous slice needs an id. An event without a pid is treated as damaged too: old files have such
  // events, and their ids are not valid.
  if (event.id.kind == EventKey::Kind::kNone || event.pid.kind == EventKey::Kind::kNone) {
    return add_loss(LossCause::kImportBroken);
  }
  const std::uint32_t index = tracks_.async(event);
  const Timestamp at = timestamp_from_ns(event.ts_ns);
  see(at, at);
  const char phase = event.phase;
  if (phase == 'n' || phase == 'T' || phase == 'p') {
    points_.push_back(
        {Point::Of::kAsync, index, {at, kNoTrack, event.name, kNoOp, names_.add_args(event.args)}});
    return;
  }
  tracks_.asyncs[index].edges.push_back(
      {at, event.name, names_.add_args(event.args), meanings_.of_async(event), phase == 'e' || phase == 'F'});
}

// ---- flows ------------------------------------------------------------------------------------------------

void ChromeImporter::add_flow(const ChromeEvent& event, FlowPoint::Phase phase) {
  if (event.id.kind == EventKey::Kind::kNone) return add_loss(LossCause::kImportBroken);
  const FlowMeaning meaning = meanings_.of_flow(event);
  FlowPoint point;
  point.at = timestamp_from_ns(event.ts_ns);
  point.category = event.category;
  point.name = event.name;
  point.id = event.id;
  point.phase = phase;
  point.binds_to_enclosing = event.binds_to_enclosing;
  point.unique_id = meaning.unique_ids;
  point.kind = meaning.kind;
  point.flow_name = meaning.name;
  flows_.push_back({tracks_.thread(event.pid, event.tid), point});
}

void ChromeImporter::add_slice_flow(const ChromeEvent& event, std::uint32_t thread) {
  if (event.bind_id.kind == EventKey::Kind::kNone || !(event.flow_in || event.flow_out)) return;
  FlowPoint point;
  point.at = timestamp_from_ns(event.ts_ns);
  point.category = names_.intern("bind_id");
  point.id = event.bind_id;
  point.phase = !event.flow_in   ? FlowPoint::Phase::kStart
                : event.flow_out ? FlowPoint::Phase::kStep
                                 : FlowPoint::Phase::kEnd;
  flows_.push_back({thread, point});
}

// ---- instants, counters, names ----------------------------------------------------------------------------

void ChromeImporter::add_instant(ChromeEvent& event) {
  const Timestamp at = timestamp_from_ns(event.ts_ns);
  std::uint32_t index = 0;
  if (event.scope == 'g') {
    index = tracks_.global_events();
  } else if (event.scope == 'p') {
    index = tracks_.process_events(event.pid);
  } else {
    index = tracks_.thread(event.pid, event.tid);
  }
  tracks_.threads[index].used = true;
  if (const auto memory = meanings_.of_memory(event)) {
    memory_[{tracks_.process(event.pid), memory->device_type, memory->device_id}].push_back(
        {at, *memory, index});
  }
  points_.push_back(
      {Point::Of::kThread, index, {at, kNoTrack, event.name, kNoOp, names_.add_args(event.args)}});
  see(at, at);
}

void ChromeImporter::add_counter(const ChromeEvent& event) {
  const Timestamp at = timestamp_from_ns(event.ts_ns);
  bool any = false;
  for (const Arg& arg : event.args) {
    const auto value = names_.finite(arg.value);
    if (!value) continue;
    ImportedCounter& counter = tracks_.counters[tracks_.counter(event, arg.key)];
    const CounterMeaning meaning =
        meanings_.of_counter(event, names_.text(tracks_.processes[counter.process].name));
    counter.unit = meaning.unit;
    counter.role = meaning.role;
    counter.samples.push_back({at, *value});
    any = true;
  }
  if (!any) return skip("event", "counter_without_number");
  see(at, at);
}

void ChromeImporter::add_metadata(const ChromeEvent& event) {
  const auto value_of = [&](StringId key) -> const ArgValue* {
    const auto found =
        std::find_if(event.args.begin(), event.args.end(), [key](const Arg& arg) { return arg.key == key; });
    return found == event.args.end() ? nullptr : &found->value;
  };
  const auto set_text = [&](StringId key, StringId& out) {
    const ArgValue* value = value_of(key);
    if (value == nullptr) return;
    if (const auto* text = std::get_if<StringId>(value)) out = *text;
    if (const auto* whole = std::get_if<std::int64_t>(value)) out = names_.intern(std::to_string(*whole));
  };
  const auto set_index = [&](std::int32_t& out) {
    const ArgValue* value = value_of(known_.sort_index);
    if (value != nullptr) out = sort_index_from(names_.number(*value).value_or(0));
  };
  if (event.name == known_.process_name) {
    set_text(known_.name, tracks_.processes[tracks_.process(event.pid)].name);
  } else if (event.name == known_.process_labels) {
    set_text(known_.labels, tracks_.processes[tracks_.process(event.pid)].labels);
  } else if (event.name == known_.process_sort_index) {
    set_index(tracks_.processes[tracks_.process(event.pid)].sort_index);
  } else if (event.name == known_.thread_name) {
    set_text(known_.name, tracks_.threads[tracks_.thread(event.pid, event.tid)].name);
  } else if (event.name == known_.thread_sort_index) {
    set_index(tracks_.threads[tracks_.thread(event.pid, event.tid)].sort_index);
  }
  // Other metadata (num_cpus, trace_buffer_overflowed) does not describe rows, so it is not counted as lost.
}

}  // namespace runahead::importers
