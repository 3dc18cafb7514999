#include "gui/model/model.h"

#include <algorithm>

namespace runahead::gui {

std::optional<samples::Outcome> machine_outcome(const LessonState& state, const samples::Prediction& asked) {
  const std::optional<double> predicted = samples::predicted_value(asked, state.figures, state.machine);
  return predicted ? std::optional(samples::judge_value(asked, std::nullopt, predicted)) : std::nullopt;
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
