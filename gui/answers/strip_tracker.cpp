#include "gui/answers/strip_tracker.h"

#include <algorithm>

namespace runahead::gui {

namespace {

using analysis::BarrierChange;
using analysis::PartOfRun;
using analysis::SegmentWork;
using analysis::SteadyPart;

// A part without steps has no rate that could become steady, so its figures cover all of its time.
SteadyPart all_of(TimeRange time, bool grows) {
  return {.phase = grows ? analysis::Phase::kWarmingUp : analysis::Phase::kSettled,
          .drained = time.begin,
          .shown = time};
}

// True for counters whose values depend on the barrier.
bool has_level(const trace::TrackInfo& info) {
  using trace::CounterRole;
  if (info.kind != trace::TrackKind::kCounter) return false;
  return info.role == CounterRole::kLiveBytes || info.role == CounterRole::kRunAheadOps ||
         info.role == CounterRole::kRunAheadBytes || info.role == CounterRole::kRunAheadSteps;
}

}  // namespace

StripTracker::Span StripTracker::span_of(const trace::Trace& trace, TimeRange within, bool grows) {
  const std::vector<BarrierChange> changes = analysis::barrier_changes(trace);
  const auto follows = [&](const BarrierChange& c) { return grows ? c.at > within.end : c.at >= within.end; };
  const auto next = std::ranges::find_if(changes, follows);
  Span out{.change = {within.begin, ""}, .begin = within.begin, .end = within.end, .grows = grows};
  if (next == changes.begin()) return out;
  out.change = *(next - 1);
  out.begin = std::max(out.change.at, within.begin);
  if (analysis::is_start(out.change) || out.change.at <= within.begin) return out;
  out.before = next - 1 != changes.begin() ? *(next - 2) : BarrierChange{within.begin, ""};
  out.before->at = std::max(out.before->at, within.begin);
  return out;
}

void StripTracker::begin_segment(const trace::Trace& trace, const Span& span) {
  state_ = State{};
  state_->figures.change = span.change;
  begin_ = span.begin;
  before_begin_ = span.before ? std::optional(span.before->at) : std::nullopt;
  after_ = analysis::SegmentAccumulator(span.begin, SegmentWork::kLeftOut);
  if (!span.before) return;
  const SteadyPart part = analysis::steady_part(trace, *span.before, span.change.at);
  state_->figures.before = analysis::figures_of(trace, part);
  state_->before = analysis::steadiness_of(part);
  state_->late_before = analysis::lateness(trace, part.shown).too_much();
  state_->left_out_before = analysis::left_out(*span.before, part);
}

void StripTracker::extend_after(const trace::Trace& trace, const Span& span) {
  const SteadyPart part = span.has_steps
                              ? analysis::steady_part(trace, {span.begin, span.change.label}, span.end)
                              : all_of({span.begin, span.end}, span.grows);
  const TimeRange read = after_.figures().range;
  if (part.shown.begin != read.begin || part.shown.end < read.end)
    after_ = analysis::SegmentAccumulator(part.shown.begin, SegmentWork::kLeftOut);
  after_.extend(trace, part.shown.end);
  state_->figures.after = after_.figures();
  if (part.rate.settled) state_->figures.after.steps_per_s = part.rate.steps_per_s;
  state_->after = analysis::steadiness_of(part);
  state_->late_after = analysis::lateness(trace, part.shown).too_much();
  state_->left_out_after = analysis::left_out({span.begin, span.change.label}, part);
}

void StripTracker::show_nothing_measured(Timestamp now, const std::string& part) {
  state_ = State{.after = {analysis::Phase::kWarmingUp, 0}, .part = part};
  state_->figures.change.at = state_->figures.after.range.begin = state_->figures.after.range.end = now;
  begin_.reset();
}

const std::optional<StripTracker::State>& StripTracker::update(const trace::Trace& trace,
                                                               std::optional<TimeRange> measured) {
  if (trace.extent().empty()) {
    state_.reset();
    return state_;
  }
  const TimeRange all{trace.extent().begin, std::max(trace.extent().begin, trace.watermark())};
  const std::vector<PartOfRun> parts = analysis::parts_of_run(trace);
  const PartOfRun* const main = analysis::main_part(trace, parts, all);
  const PartOfRun* const chosen = measured ? analysis::part_with_range(parts, *measured) : nullptr;
  const PartOfRun* const part = chosen != nullptr ? chosen : main;
  if (part == nullptr && !parts.empty()) {
    show_nothing_measured(all.end, parts.back().name);
    return state_;
  }
  Span span = part != nullptr ? span_of(trace, part->range, part->last) : span_of(trace, all, true);
  span.has_steps = part == nullptr || analysis::has_steps(trace, *part);
  const std::optional<Timestamp> before = span.before ? std::optional(span.before->at) : std::nullopt;
  if (!state_ || state_->figures.change.at != span.change.at || begin_ != span.begin ||
      before_begin_ != before)
    begin_segment(trace, span);
  extend_after(trace, span);
  state_->part = part != nullptr ? part->name : std::string();
  state_->chosen = chosen != nullptr && chosen != main;
  state_->several_parts = std::ranges::count_if(parts, analysis::is_measured) > 1;
  return state_;
}

std::vector<ComparedTime> compared_times(const StripTracker::State& strip) {
  using Side = ComparedTime::Side;
  std::vector<ComparedTime> out;
  if (strip.figures.before.range.empty()) return out;
  const auto add = [&out](const std::vector<analysis::LeftOut>& left_out, TimeRange measured, Side side) {
    for (const analysis::LeftOut& time : left_out) out.push_back({time.range, Side::kLeftOut, time.phase});
    const bool overlaps = !left_out.empty() && measured.begin < left_out.back().range.end;
    if (!measured.empty() && !overlaps) out.push_back({measured, side});
  };
  add(strip.left_out_before, strip.figures.before.range, Side::kBefore);
  add(strip.left_out_after, strip.figures.after.range, Side::kAfter);
  return out;
}

std::vector<TimelineState::Level> levels_before(const trace::Trace& trace, const StripTracker::State& strip) {
  const TimeRange before = strip.figures.before.range;
  std::vector<TimelineState::Level> out;
  for (const trace::Track& track : trace.tracks()) {
    if (before.empty() || !has_level(track.info)) continue;
    if (const auto extremes = track.counter.extremes(before)) out.push_back({track.info.id, extremes->max});
  }
  return out;
}

}  // namespace runahead::gui
