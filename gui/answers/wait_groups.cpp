#include "gui/answers/wait_groups.h"

#include <algorithm>
#include <functional>

#include "gui/text/text.h"
#include "gui/timeline/wait_facts.h"
#include "instrumentation/base/format.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::gui {
namespace {

// The longest call of a group, as a wait.
analysis::Wait worst_of(const causes::Execution& execution, const causes::Synchronisation& sync) {
  const causes::HostCall& call = execution.calls()[sync.call];
  analysis::Wait wait{.track = call.thread, .open = call.open};
  wait.slice.begin = call.begin;
  wait.slice.end = call.end;
  wait.slice.name = call.name;
  if (call.open) return wait;
  const trace::Lane& lane = execution.trace().track(call.thread).lanes[call.depth];
  const std::uint64_t row = lane.first_row_beginning_from(call.begin);
  if (row < lane.end_row()) wait.slice = lane.slice(row);
  return wait;
}

// The waits of a trace whose ops no engine of ours executed: calls that waited for a device.
void add_groups(const causes::Execution& execution, const std::string& rank, TimeRange range,
                std::vector<analysis::WaitGroup>& groups) {
  const std::vector<causes::Synchronisation> all = causes::find_synchronisations(execution, range);
  for (const causes::SyncGroup& sync : causes::group_by_place(execution, all)) {
    // the call first: the end of a long text is cut off
    const std::string wait = sync.place.empty() ? sync.call : sync.call + " (" + sync.place + ")";
    analysis::WaitGroup group{.wait = rank + wait,
                              .op = sync.awaited,
                              .count = sync.count,
                              .split = causes::wait_split(sync.parts),
                              .longest = all[sync.worst].parts.total(),
                              .worst = worst_of(execution, all[sync.worst]),
                              .inferred = sync.inferred > 0};
    const auto& parts = group.split.parts;
    group.cause = static_cast<analysis::WaitPart>(std::ranges::max_element(parts) - parts.begin());
    groups.push_back(std::move(group));
  }
}

// "rank 2: ", or "" for a trace of one process.
std::string rank_text(const trace::Trace& trace, TrackId group) {
  for (const trace::Rank& rank : trace::ranks_of(trace)) {
    if (rank.group == group) return rank.short_name() + ": ";
  }
  return "";
}

}  // namespace

std::vector<analysis::WaitGroup> synchronisation_groups(const trace::Trace& trace,
                                                        const causes::Synchronisations& synchronisations,
                                                        TimeRange range) {
  std::vector<analysis::WaitGroup> groups;
  for (const auto& part : synchronisations.parts())
    add_groups(part.execution, rank_text(trace, part.group), range, groups);
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const analysis::WaitGroup& group) { return group.split.total(); });
  return groups;
}

std::string wait_text(const analysis::WaitGroup& group) {
  return wait_name(group.wait, group.worst.slice.flags);
}

std::string awaited_text(const analysis::WaitGroup& group) {
  if (!group.op.empty()) return group.inferred ? filled(Text::kWaitsInferred, {group.op}) : group.op;
  switch (group.cause) {
    case analysis::WaitPart::kFinished:
      return text(Text::kWaitsForNothing);
    case analysis::WaitPart::kOther:
      return text(Text::kWaitOther);
    default:
      return text(Text::kNoFigure);
  }
}

bool has_parts(const analysis::WaitGroup& group) {
  return group.split.of(analysis::WaitPart::kOther) < group.split.total();
}

std::string waits_summary(std::uint64_t count, Duration total, TimeRange range, bool in_range) {
  if (count == 0) return text(Text::kWaitsNone);
  const std::string of_range = " \u00b7 " + filled(in_range ? Text::kWaitsOfRange : Text::kWaitsOfTrace,
                                                   {format_duration(range.duration())});
  if (count == 1) return filled(Text::kWaitsSummaryOne, {format_duration(total)}) + of_range;
  return filled(Text::kWaitsSummary, {format_count(static_cast<double>(count)), format_duration(total)}) +
         of_range;
}

}  // namespace runahead::gui
