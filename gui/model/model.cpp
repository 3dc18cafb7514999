#include "gui/model/model.h"

#include <algorithm>

namespace runahead::gui {

std::optional<samples::Outcome> machine_outcome(const LessonState& state, const samples::Prediction& asked) {
  if (state.machine.empty()) return std::nullopt;
  samples::LessonFigures figures = state.figures;
  for (const auto& [part, predicted] : state.machine) {
    figures[part].erase(samples::kUnsettled);
    for (const auto& [name, value] : predicted) figures[part][name] = value;
  }
  const samples::Outcome outcome = samples::judge(asked, std::nullopt, figures);
  return outcome.measured ? std::optional(outcome) : std::nullopt;
}

std::vector<BarrierChoice> barrier_row(const samples::WorkloadSpec* workload) {
  std::vector<BarrierChoice> row;
  for (const BarrierChoice& choice : barrier_choices()) {
    const bool fits = workload == nullptr || workload->barriers.empty() ||
                      std::ranges::find(workload->barriers, choice.policy.kind) != workload->barriers.end();
    if (fits) row.push_back(choice);
  }
  return row;
}

}  // namespace runahead::gui
