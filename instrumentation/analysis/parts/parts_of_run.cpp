#include "instrumentation/analysis/parts/parts_of_run.h"

#include <algorithm>
#include <iterator>

#include "instrumentation/trace/row_reader.h"

namespace runahead::analysis {
namespace {

using trace::Trace;
using trace::Track;

TimeRange common_time(TimeRange a, TimeRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

double steps_by(const Trace& trace, Timestamp t) {
  double steps = 0;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind == trace::TrackKind::kCounter &&
        track.info.role == trace::CounterRole::kStepsFinished && !track.counter.empty())
      steps += track.counter.value_at(t).value_or(0);
  }
  return steps;
}

}  // namespace

std::optional<std::string_view> part_name(std::string_view label) {
  if (!label.starts_with(trace::kPartLabel)) return std::nullopt;
  return label.substr(trace::kPartLabel.size());
}

std::vector<PartOfRun> parts_of_run(const Trace& trace) {
  const auto tracks = trace.tracks();
  const auto is_markers = [](const Track& track) { return track.info.kind == trace::TrackKind::kMarkers; };
  trace::TrackBits of_markers = 0;
  for (const Track& track : tracks) of_markers |= is_markers(track) ? trace::bit_of(track.info.id) : 0;
  std::vector<PartOfRun> out;
  trace::InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; (i = instants.next_of_tracks(of_markers, i)) < instants.size(); ++i) {
    const trace::Instant instant = instants.instant(i);
    if (instant.track == kNoTrack || !is_markers(trace.track(instant.track))) continue;
    const std::optional<std::string_view> name = part_name(trace.string(instant.name));
    if (!name || (!out.empty() && out.back().name == *name)) continue;
    if (!out.empty()) out.back().range.end = instant.at;
    out.push_back({std::string(*name), {instant.at, instant.at}});
  }
  if (out.empty()) return out;
  // Each run begins with its preparation. If another part is the first, the begin of the part before it was
  // not kept.
  const Timestamp begin = trace.extent().begin, first = out.front().range.begin;
  if (out.front().name != trace::kPreparationPart && begin < first)
    out.insert(out.begin(), {"", {begin, first}});
  out.back().last = true;
  out.back().range.end = std::max(out.back().range.begin, trace.watermark());
  return out;
}

bool is_measured(const PartOfRun& part) {
  return part.name != trace::kPreparationPart && part.name != trace::kResultsPart;
}

bool has_steps(const Trace& trace, const PartOfRun& part) {
  return steps_by(trace, part.range.end) > steps_by(trace, part.range.begin);
}

const PartOfRun* main_part(const Trace& trace, const std::vector<PartOfRun>& parts, TimeRange range) {
  const PartOfRun* without_steps = nullptr;
  const auto after = std::ranges::partition_point(
      parts, [&](const PartOfRun& part) { return part.range.begin < range.end; });
  for (auto part = std::make_reverse_iterator(after); part != parts.rend(); ++part) {
    if (part->range.end <= range.begin) break;
    const TimeRange common = common_time(part->range, range);
    if (!is_measured(*part) || common.empty()) continue;
    if (steps_by(trace, common.end) > steps_by(trace, common.begin)) return &*part;
    if (without_steps == nullptr) without_steps = &*part;
  }
  return without_steps;
}

const PartOfRun* part_with_range(const std::vector<PartOfRun>& parts, TimeRange range) {
  auto part =
      std::ranges::lower_bound(parts, range.begin, {}, [](const PartOfRun& p) { return p.range.begin; });
  for (; part != parts.end() && part->range.begin == range.begin; ++part) {
    if (part->last ? range.end <= part->range.end : range.end == part->range.end) return &*part;
  }
  return nullptr;
}

TimeRange measured_time(const Trace& trace, TimeRange range) {
  return measured_time(trace, parts_of_run(trace), range);
}

TimeRange measured_time(const Trace& trace, const std::vector<PartOfRun>& parts, TimeRange range) {
  if (parts.empty()) return range;
  const PartOfRun* const part = main_part(trace, parts, range);
  return part != nullptr ? common_time(part->range, range) : TimeRange{range.end, range.end};
}

}  // namespace runahead::analysis
