#include "samples/hidden_share.h"

#include <algorithm>

namespace runahead::samples {

double hidden_share(const AloneAndTogether& times) {
  return (times.first_s + times.second_s - times.together_s) / std::min(times.first_s, times.second_s);
}

std::string_view doubt_about(const AloneAndTogether& times, bool modelled) {
  const auto [shorter_s, longer_s] = std::minmax(times.first_s, times.second_s);
  if (!modelled && shorter_s < kLeastPart * longer_s)
    return "One of the two takes less than a fifth of the other's time, and measured times vary: \"hidden "
           "share of the shorter\" is unreliable.";
  if (hidden_share(times) > kMostHiddenShare)
    return "Together they took less time than the longer one alone. Overlap cannot do that, so a time alone "
           "was too long: \"hidden share of the shorter\" is unreliable.";
  return "";
}

void report_hidden_share(RunContext& run, const AloneAndTogether& times) {
  run.result["efficiency"] = hidden_share(times);
  const bool modelled =
      std::ranges::all_of(run.devices, [](const engine::Device* device) { return device->simulated(); });
  const std::string_view doubt = doubt_about(times, modelled);
  if (!doubt.empty()) run.result_text["unreliable"] = doubt;
}

}  // namespace runahead::samples
