#include "instrumentation/export/perfetto_export_flows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/trace/labels.h"

namespace runahead::exporters {
using namespace trace;
namespace {

using namespace perfetto;
using protozero::pbf_writer;

// The time of the event to which an end of an arrow is attached, and the event's track. Tracks are written in
// the order of their ids, so the track gives the position in the file.
struct LinkTime {
  Timestamp at{};
  TrackId track = kNoTrack;
};
LinkTime link_time(const FlowSlice& bound, bool at_end) {
  return {at_end ? bound.slice.end : bound.slice.begin, bound.track};
}
// Of the two events with the same arrow number, readers take the first event as the source of the arrow.
// Readers compare the times of the two events, and for equal times the positions of the events in the file.
bool told_before(const LinkTime& a, const LinkTime& b) {
  return a.at != b.at ? a.at < b.at : raw(a.track) < raw(b.track);
}

FlowPlace place_of(const FlowSlice& bound, bool at_end) {
  return {bound.track, bound.depth, bound.row, at_end};
}

void add_entry(pbf_writer& dictionary, std::string_view name, std::string_view text) {
  pbf_writer entry(dictionary, annotation::kDictEntries);
  entry.add_string(annotation::kName, name.data(), name.size());
  entry.add_string(annotation::kString, text.data(), text.size());
}
void add_entry(pbf_writer& dictionary, std::string_view name, std::int64_t number) {
  pbf_writer entry(dictionary, annotation::kDictEntries);
  entry.add_string(annotation::kName, name.data(), name.size());
  entry.add_int64(annotation::kInt, number);
}

}  // namespace

PerfettoFlows::PerfettoFlows(const Trace& trace, const ChromeLayout& layout, Timestamp base)
    : trace_(trace), layout_(layout), base_(base) {
  for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) add(i);
  std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
    return std::tuple(a.place.key(), a.number) < std::tuple(b.place.key(), b.number);
  });
}

// Attaches both ends of an arrow to events. Each end is attached to the begin or end event of its slice,
// whichever fits the arrow's time. If readers would then see the target before the source, the source is
// attached to the begin event of its slice. If the order is still wrong, the target is attached to the end
// event of its slice.
void PerfettoFlows::add(std::uint64_t index) {
  const Flow flow = trace_.flow(index);
  const std::optional<FlowSlices> slices = slices_of_flow(layout_, flow, true);
  if (!slices) return;
  const FlowSlice &from = slices->from, &to = slices->to;
  const bool leaves_at_end = flow.from_time >= from.slice.end, enters_at_end = flow.to_time >= to.slice.end;
  for (const auto& [from_end, to_end] :
       {std::pair(leaves_at_end, enters_at_end), std::pair(false, enters_at_end), std::pair(false, true)}) {
    if (!told_before(link_time(from, from_end), link_time(to, to_end))) continue;
    const Flow said = flow_between({&from.slice, from_end}, {&to.slice, to_end});
    const std::uint8_t tells = (flow.kind != said.kind ? kKind : 0) | (flow.op != said.op ? kOp : 0) |
                               (flow.from_time != said.from_time ? kFromTime : 0) |
                               (flow.to_time != said.to_time ? kToTime : 0) |
                               (trace_.string(flow.name).empty() ? 0 : kName);
    ++count_;
    links_.push_back({place_of(from, from_end), false, tells, count_, index});
    links_.push_back({place_of(to, to_end), true, 0, count_, index});
    return;
  }
}

void PerfettoFlows::tell(pbf_writer& list, const Link& link) const {
  const Flow flow = trace_.flow(link.index);
  pbf_writer dictionary(list, annotation::kArrayValues);
  add_entry(dictionary, flow_key::kNumber, static_cast<std::int64_t>(link.number));
  if ((link.tells & kName) != 0) add_entry(dictionary, flow_key::kName, trace_.string(flow.name));
  if ((link.tells & kKind) != 0) add_entry(dictionary, flow_key::kKind, flow_kind_key(flow.kind));
  if ((link.tells & kOp) != 0) {
    add_entry(dictionary, flow_key::kOp, static_cast<std::int64_t>(op_number(flow.op)));
    add_entry(dictionary, flow_key::kEngine, static_cast<std::int64_t>(raw(flow.op) >> 48));
  }
  if ((link.tells & kFromTime) != 0) add_entry(dictionary, flow_key::kFrom, ns_from(flow.from_time - base_));
  if ((link.tells & kToTime) != 0) add_entry(dictionary, flow_key::kTo, ns_from(flow.to_time - base_));
}

void PerfettoFlows::add_to(pbf_writer& event, const FlowPlace& place, std::uint64_t key_iid) const {
  const auto first =
      std::lower_bound(links_.begin(), links_.end(), place,
                       [](const Link& a, const FlowPlace& b) { return a.place.key() < b.key(); });
  auto last = first;
  while (last != links_.end() && last->place.key() == place.key()) ++last;
  for (auto link = first; link != last; ++link) {
    event.add_fixed64(link->enters ? event::kTerminatingFlowIds : event::kFlowIds, link->number);
  }
  if (std::none_of(first, last, [](const Link& link) { return link.tells != 0; })) return;
  pbf_writer list(event, event::kDebugAnnotations);
  list.add_uint64(annotation::kNameIid, key_iid);
  for (auto link = first; link != last; ++link) {
    if (link->tells != 0) tell(list, *link);
  }
}

}  // namespace runahead::exporters
