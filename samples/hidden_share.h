// How much of the shorter of two times was hidden behind the longer one when both ran together. Internal to
// samples.
#pragma once

#include <string_view>

#include "samples/workload.h"

namespace runahead::samples {

// Two works that were measured alone, one after the other, and then together. In seconds, all above 0.
struct AloneAndTogether {
  double first_s = 0, second_s = 0, together_s = 0;
};

// 1: together they took no longer than the longer one alone. 0 or less: nothing was hidden.
[[nodiscard]] double hidden_share(const AloneAndTogether& times);

// A share above this says nothing about overlap: a time alone was too long.
inline constexpr double kMostHiddenShare = 1.05;
// A measured time varies by a few percent from run to run. If the shorter time is a smaller part of the
// longer one than this, these percents are a large part of it, and the share is noise.
inline constexpr double kLeastPart = 0.2;

// Why the share says nothing about overlap; empty: it does. modelled: the times come from a model, which
// repeats.
[[nodiscard]] std::string_view doubt_about(const AloneAndTogether& times, bool modelled);

// Sets the result `efficiency`, and the text `unreliable` if there is a doubt about it. The times are
// modelled if all devices of the run are simulated.
void report_hidden_share(RunContext& run, const AloneAndTogether& times);

}  // namespace runahead::samples
