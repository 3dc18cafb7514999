#include "gui/timeline/causes/cause_marks.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace runahead::gui {
namespace {

double ratio(Duration part, Duration all) {
  return static_cast<double>(part.count()) / static_cast<double>(all.count());
}

IdleMark mark_of(const causes::Execution& execution, const causes::IdleGap& gap) {
  IdleMark mark{.range = gap.range, .cause = gap.parts.main_cause()};
  if (gap.next == causes::kNone) return mark;
  const causes::Work& next = execution.works()[gap.next];
  mark.next_track = execution.streams()[next.stream].track;
  mark.next_name = next.name;
  return mark;
}

IdleDevice device_marks(const causes::Execution& execution, const causes::DeviceExplanation& device) {
  IdleDevice out;
  out.name = device.name;
  out.simulated = device.simulated;
  out.gap_count = device.report.gap_count;
  for (const causes::StreamIndex stream : execution.devices()[device.report.device].streams) {
    out.tracks.push_back(execution.streams()[stream].track);
    out.host = execution.trace().track(out.tracks.back()).info.kind == trace::TrackKind::kWorker;
  }
  std::vector<const causes::IdleGap*> gaps;
  for (const causes::IdleGap& gap : device.report.gaps) gaps.push_back(&gap);
  std::ranges::sort(gaps, {}, [](const causes::IdleGap* gap) { return gap->range.begin; });
  for (const causes::IdleGap* const gap : gaps) {
    out.gaps.push_back(mark_of(execution, *gap));
    out.parts.push_back(gap->parts);
  }
  return out;
}

void add_path(const causes::CriticalPath& path, CauseMarks& out) {
  std::vector<PathPiece>& pieces = out.paths.emplace_back();
  std::unordered_map<std::uint32_t, std::uint32_t> indices;  // by track
  for (const causes::PathSegment& segment : path.segments) {
    std::uint32_t index = kNoPathTrack;
    if (segment.track != kNoTrack) {
      const auto next = static_cast<std::uint32_t>(out.path_tracks.size());
      const auto [known, is_new] = indices.try_emplace(raw(segment.track), next);
      if (is_new) out.path_tracks.emplace_back(segment.track);
      index = known->second;
      out.path_tracks[index].add(segment.range);
    }
    const bool goes_on = !pieces.empty() && pieces.back().track == index &&
                         pieces.back().path_class == segment.path_class &&
                         pieces.back().range.end == segment.range.begin;
    if (goes_on) {
      pieces.back().range.end = segment.range.end;
    } else {
      pieces.push_back({segment.range, segment.path_class, index});
    }
  }
}

causes::IdleCause main_cause(std::span<const IdleMark> gaps) {
  std::array<Duration, causes::kIdleCauseCount> times{};
  for (const IdleMark& gap : gaps) times[static_cast<std::size_t>(gap.cause)] += gap.range.duration();
  return static_cast<causes::IdleCause>(std::ranges::max_element(times) - times.begin());
}

IdleRun run_of(std::span<const IdleMark> gaps, std::size_t first, std::size_t end) {
  const std::span<const IdleMark> run = gaps.subspan(first, end - first);
  const TimeRange range{run.front().range.begin, run.back().range.end};
  Duration idle{};
  for (const IdleMark& gap : run) idle += gap.range.duration();
  return {first, run.size(), range, run.size() == 1 ? run.front().cause : main_cause(run),
          range.empty() ? 1 : ratio(idle, range.duration())};
}

}  // namespace

void PathTrack::add(TimeRange range) {
  if (range.empty()) return;
  if (!stretches_.empty() && stretches_.back().range.end == range.begin) {
    stretches_.back().range.end = range.end;
    return;
  }
  const Duration before =
      stretches_.empty() ? Duration{} : stretches_.back().before + stretches_.back().range.duration();
  stretches_.push_back({range, before});
}

Duration PathTrack::time_before(Timestamp t) const {
  const auto after =
      std::ranges::upper_bound(stretches_, t, {}, [](const Stretch& s) { return s.range.begin; });
  if (after == stretches_.begin()) return {};
  const Stretch& last = *std::prev(after);
  return last.before + (std::min(t, last.range.end) - last.range.begin);
}

Duration PathTrack::time_in(TimeRange range) const {
  return time_before(range.end) - time_before(range.begin);
}

std::string with_rank(const std::string& rank, const std::string& words) {
  return rank.empty() || words.find(rank + " ") != std::string::npos ? words : rank + ": " + words;
}

void add_cause_marks(const causes::Execution& execution, const causes::Explanation& explanation,
                     const std::string& rank, CauseMarks& out) {
  for (const causes::DeviceExplanation& device : explanation.devices) {
    out.devices.push_back(device_marks(execution, device));
    out.devices.back().name = with_rank(rank, out.devices.back().name);
  }
  add_path(explanation.path, out);
}

void add_collective_marks(const causes::RankReport& report, CauseMarks& out) {
  for (const causes::SharedCollective& shared : report.collectives) {
    const std::string last = shared.last ? report.ranks[*shared.last].rank.short_name() : std::string();
    for (const causes::Arrival& arrival : shared.arrivals) {
      const causes::Collective& one = report.ranks[arrival.rank].collectives[arrival.collective];
      out.collectives.push_back({.track = one.stream,
                                 .begin = one.begin,
                                 .ranks = shared.arrivals.size(),
                                 .last = last,
                                 .is_last = shared.last == arrival.rank,
                                 .waited = arrival.waited});
    }
  }
  std::ranges::sort(out.collectives, {},
                    [](const CollectiveMark& mark) { return std::pair(mark.track, mark.begin); });
}

const CollectiveMark* find_collective(const CauseMarks& marks, TrackId track, Timestamp begin) {
  const auto key = [](const CollectiveMark& mark) { return std::pair(mark.track, mark.begin); };
  const auto found = std::ranges::lower_bound(marks.collectives, std::pair(track, begin), {}, key);
  return found != marks.collectives.end() && key(*found) == std::pair(track, begin) ? &*found : nullptr;
}

std::optional<FoundIdle> find_idle(const CauseMarks& marks, const IdleRef& ref) {
  if (ref.device >= marks.devices.size()) return std::nullopt;
  const IdleDevice& device = marks.devices[ref.device];
  const auto found = std::ranges::lower_bound(device.gaps, ref.begin, {},
                                              [](const IdleMark& mark) { return mark.range.begin; });
  if (found == device.gaps.end() || found->range.begin != ref.begin) return std::nullopt;
  return FoundIdle{device, *found, device.parts[static_cast<std::size_t>(found - device.gaps.begin())]};
}

Timestamp end_of_cell(Timestamp t, Duration length) {
  const std::int64_t within = ns_from(t) % length.count();
  const std::int64_t after_begin = within < 0 ? within + length.count() : within;
  return t + Duration{length.count() - after_begin};
}

void join_gaps(std::span<const IdleMark> gaps, TimeRange view, Duration narrow, std::vector<IdleRun>& out) {
  out.clear();
  const auto begin_of = [](const IdleMark& mark) { return mark.range.begin; };
  const auto end_of = [](const IdleMark& mark) { return mark.range.end; };
  auto at = static_cast<std::size_t>(std::ranges::upper_bound(gaps, view.begin, {}, end_of) - gaps.begin());
  while (at < gaps.size() && gaps[at].range.begin < view.end) {
    std::size_t end = at + 1;
    if (gaps[at].range.duration() < narrow) {
      const Timestamp cell_end = end_of_cell(gaps[at].range.begin, narrow);
      end = static_cast<std::size_t>(
          std::lower_bound(gaps.begin() + static_cast<std::ptrdiff_t>(end), gaps.end(), cell_end,
                           [&](const IdleMark& mark, Timestamp t) { return begin_of(mark) < t; }) -
          gaps.begin());
      // Only the last of these gaps can be wide: it is drawn alone.
      if (end > at + 1 && gaps[end - 1].range.duration() >= narrow) --end;
    }
    out.push_back(run_of(gaps, at, end));
    at = end;
  }
}

}  // namespace runahead::gui
