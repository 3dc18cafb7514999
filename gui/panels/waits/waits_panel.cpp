#include "gui/panels/waits/waits_panel.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/background/known_causes.h"
#include "gui/timeline/wait_facts.h"
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

// Longest time first.
std::vector<analysis::WaitGroup> synchronisation_groups(const KnownCauses& known, TimeRange range) {
  std::vector<analysis::WaitGroup> groups;
  for (const auto& part : known.synchronisations.parts())
    add_groups(part.execution, rank_text(known.trace, part.group), range, groups);
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const analysis::WaitGroup& group) { return group.split.total(); });
  return groups;
}

}  // namespace

WaitReporter::Work make_wait_reporter() {
  return [known = std::shared_ptr<const KnownCauses>()](const WaitReporter::Question& question,
                                                        const std::atomic<bool>&) mutable {
    const trace::Trace& trace = question.snapshot;
    const TimeRange extent = trace.extent();
    const TimeRange range{std::max(question.range.begin, extent.begin),
                          std::min(question.range.end, extent.end)};
    WaitsAnswer answer{.range = range, .in_range = question.asked.in_range};
    if (has_ops(trace)) {
      answer.groups = analysis::wait_report(trace, range);
    } else {
      known = known_causes(trace);
      answer.groups = synchronisation_groups(*known, range);
    }
    for (const analysis::WaitGroup& group : answer.groups) {
      answer.count += group.count;
      answer.split.add(group.split);
    }
    return std::optional(std::move(answer));
  };
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

TableRows waits_rows(const WaitsAnswer& answer, const std::vector<std::size_t>& order) {
  TableRows rows{{text(Text::kWaitsWhere), text(Text::kWaitsForOp), text(Text::kWaitsMostly),
                  text(Text::kCount), ns_header(Text::kTotal), ns_header(Text::kWaitsOpsBefore),
                  ns_header(Text::kWaitsOwnCost), ns_header(Text::kFindMost)}};
  for (const std::size_t index : order) {
    const analysis::WaitGroup& group = answer.groups[index];
    const auto part = [&](Duration time) { return has_parts(group) ? ns_cell(time) : std::string(); };
    rows.push_back({wait_text(group), awaited_text(group), wait_part_name(group.cause),
                    std::to_string(group.count), ns_cell(group.split.total()), part(group.split.ops_before()),
                    part(group.split.own_cost()), ns_cell(group.longest)});
  }
  return rows;
}

bool WaitsPanel::poll(const PanelContext& context) {
  const auto wanted = shown() ? std::optional(view.wanted) : std::nullopt;
  return reporter_.poll(context.trace, context.serial, wanted, context.range(view.wanted.in_range));
}

void WaitsPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  nlohmann::json& part = json["waits"] = nullptr;
  if (!shown()) return;
  nlohmann::json groups = nlohmann::json::array();
  if (answer() == nullptr) {
    part = {{"groups", groups}};
    return;
  }
  for (const analysis::WaitGroup& group : answer()->groups) {
    groups.push_back({{"wait", group.wait},
                      {"op", group.op},
                      {"inferred", group.inferred},
                      {"cause", wait_part_name(group.cause)},
                      {"count", group.count},
                      {"total_ns", group.split.total().count()},
                      {"longest_ns", group.longest.count()}});
  }
  part = {{"groups", groups}, {"count", answer()->count}};
}

}  // namespace runahead::gui
