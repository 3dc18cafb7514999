#include "gui/panels/waits/waits_panel.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/background/known_causes.h"
#include "gui/timeline/wait_facts.h"

namespace runahead::gui {

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
      answer.groups = synchronisation_groups(known->trace, known->synchronisations, range);
    }
    for (const analysis::WaitGroup& group : answer.groups) {
      answer.count += group.count;
      answer.split.add(group.split);
    }
    return std::optional(std::move(answer));
  };
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
