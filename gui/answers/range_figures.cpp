#include "gui/answers/range_figures.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>

#include "gui/answers/wait_groups.h"
#include "gui/text/text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using trace::CounterRole;

bool has_counter(const trace::Trace& trace, std::initializer_list<CounterRole> roles) {
  return std::ranges::any_of(trace.tracks(), [&](const trace::Track& track) {
    return track.info.kind == trace::TrackKind::kCounter &&
           std::ranges::find(roles, track.info.role) != roles.end();
  });
}

// A time of the range, with its share of the time in which the run was not paused.
std::string with_share(Duration time, double share) {
  return format_duration(time) + "  (" + format_percent(share) + ")";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> range_figures(const trace::Trace& trace,
                                                               const analysis::SegmentFigures& f) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&out](Text name, std::string value) { out.emplace_back(text(name), std::move(value)); };
  const double seconds = std::chrono::duration<double>(analysis::active_time(f)).count();
  const auto add_share = [&](Text name, Duration time) {
    add(name, with_share(time, seconds > 0 ? std::chrono::duration<double>(time).count() / seconds : 0));
  };
  const bool ops = has_ops(trace);
  add(Text::kDuration, format_duration(f.range.duration()));
  if (f.paused > Duration{}) add(Text::kPausedFor, format_duration(f.paused));
  if (ops || f.steps > 0) add(Text::kSteps, format_count(f.steps));
  // A range in which no step ended has no rate.
  if (f.steps > 0) add(Text::kStepsRate, format_rate(f.steps_per_s));
  if (ops) add(Text::kOps, format_count(static_cast<double>(f.ops)));
  if (ops || f.blocked > Duration{}) add(Text::kBlockedShort, with_share(f.blocked, f.blocked_ratio));
  if (f.held_by_limit > Duration{}) add(Text::kWaitLimit, with_share(f.held_by_limit, f.held_by_limit_ratio));
  add_share(Text::kExecuting, f.busy_execute);
  add_share(Text::kCopying, f.busy_copy);
  add_share(Text::kOverlap, f.overlap);
  add(Text::kCopied, format_bytes(f.copied_bytes));
  if (seconds > 0) add(Text::kCopyRate, format_bytes_per_s(f.copied_bytes / seconds));
  if (has_counter(trace, {CounterRole::kLiveBytes})) add(Text::kPeakMemory, format_bytes(f.peak_bytes));
  if (has_counter(trace, {CounterRole::kRunAheadSteps, CounterRole::kRunAheadOps}))
    add(Text::kMostRunAhead, format_count(f.max_run_ahead_steps) + " " + text(Text::kStepsWord) + ", " +
                                 format_count(f.max_run_ahead_ops) + " " + text(Text::kOpsWord));
  return out;
}

}  // namespace runahead::gui
