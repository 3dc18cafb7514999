#include "gui/panels/settling.h"

#include <algorithm>
#include <span>
#include <vector>

namespace runahead::gui {

namespace {

using analysis::BarrierChange;

// A step without a wait is some dozen rows; beyond this many nothing waits.
constexpr std::uint64_t kMostRows = 20'000;

bool counts(const trace::Slice& slice) {
  return slice.kind == trace::SliceKind::kWait && (slice.flags & trace::kSliceHeldByLimit) == 0;
}

std::optional<trace::Slice> first_wait(const trace::Track& track, Timestamp from) {
  std::optional<trace::Slice> first;
  for (const trace::Lane& lane : track.lanes) {
    const std::uint64_t begin = lane.first_row_beginning_from(from);
    const std::uint64_t end = std::min(lane.end_row(), begin + kMostRows);
    for (std::uint64_t row = begin; row < end; ++row) {
      const trace::Slice slice = lane.slice(row);
      if (!counts(slice)) continue;
      if (!first || slice.begin < first->begin) first = slice;
      break;
    }
  }
  return first;
}

bool waits_now(const trace::Trace& trace, Timestamp from) {
  const std::span<const trace::OpenSlice> open = trace.open_slices();
  return std::ranges::any_of(open, [&](const trace::OpenSlice& o) {
    return counts(o.slice) && o.slice.begin >= from &&
           trace.track(o.track).info.kind == trace::TrackKind::kFrontend;
  });
}

BarrierChange first_change(const trace::Trace& trace) {
  const std::vector<BarrierChange> changes = analysis::barrier_changes(trace);
  return changes.empty() ? BarrierChange{trace.extent().begin, ""} : changes.front();
}

// The change at `at`, for its label; one without where there is none.
BarrierChange change_at(const trace::Trace& trace, Timestamp at) {
  for (const BarrierChange& change : analysis::barrier_changes(trace)) {
    if (change.at == at) return change;
  }
  return {at, ""};
}

}  // namespace

std::string_view barrier_after(std::string_view label) {
  for (const std::string_view mark : {std::string_view("-> "), std::string_view("start: ")}) {
    const std::size_t found = label.rfind(mark);
    if (found != std::string_view::npos) return label.substr(found + mark.size());
  }
  return {};
}

std::string_view barrier_before(std::string_view label) {
  const std::size_t found = label.rfind(" -> ");
  return found != std::string_view::npos ? label.substr(0, found) : std::string_view{};
}

std::optional<Timestamp> settled_from(const trace::Trace& trace, const BarrierChange& change) {
  const std::string_view barrier = barrier_after(change.label);
  if (barrier.empty() || barrier == "none") return change.at;
  std::optional<trace::Slice> first;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    const std::optional<trace::Slice> wait = first_wait(track, change.at);
    if (wait && (!first || wait->begin < first->begin)) first = wait;
  }
  if (first) return first->end;
  if (waits_now(trace, change.at)) return std::nullopt;
  return change.at;
}

void StripTracker::begin_segment(const trace::Trace& trace, const BarrierChange& change,
                                 std::optional<Timestamp> before) {
  const std::optional<Timestamp> settled = settled_from(trace, change);
  const bool same = state_ && state_->figures.change.at == change.at;
  if (same && after_.figures().range.begin == settled.value_or(change.at)) return;
  if (!same) {
    state_.emplace();
    state_->figures.change = change;
    if (before) {
      Timestamp from = settled_from(trace, change_at(trace, *before)).value_or(*before);
      if (from >= change.at) from = *before;
      state_->figures.before =
          analysis::segment_figures(trace, {from, change.at}, analysis::SegmentWork::kLeftOut);
    }
  }
  state_->draining = !settled.has_value();
  after_ = analysis::SegmentAccumulator(settled.value_or(change.at), analysis::SegmentWork::kLeftOut);
}

const std::optional<StripTracker::State>& StripTracker::update(const trace::Trace& trace) {
  if (trace.extent().empty()) {
    state_.reset();
    return state_;
  }
  if (const std::optional<analysis::LastChange> last = analysis::last_change(trace)) {
    begin_segment(trace, last->change, last->before_begin);
  } else {
    begin_segment(trace, first_change(trace), std::nullopt);
  }
  after_.extend(trace, trace.watermark());
  state_->figures.after = after_.figures();
  return state_;
}

}  // namespace runahead::gui
