// Predictions for random programs, against what the changed programs really take: both are simulated with the
// rules of CUDA's documentation (tests/causes/simulated_program.h), which shares no code with predict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/base/median.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/read_execution.h"
#include "tests/causes/simulated_program.h"

namespace runahead::predict {
namespace {

using testing::SimulatedProgram;
using testing::SimulationOptions;

constexpr int kPrograms = 20;

// From the first launch to the end of the last work or wait, in ns.
double length_of(const SimulatedProgram& program) {
  std::int64_t begin = program.works.front().launch, end = 0;
  for (const auto& work : program.works) end = std::max(end, work.end);
  for (const auto& wait : program.waits) {
    begin = std::min(begin, wait.begin);
    end = std::max(end, wait.end);
  }
  return static_cast<double>(end - begin);
}

struct Errors {
  std::vector<double> of_prediction;  // |predicted - real| / real
  std::vector<double> of_change;      // |real - before| / before: what was there to predict
};

// Predicts `change` for random programs. `apply` makes the same change in the program itself.
template <typename Apply>
Errors errors_of(const std::string& change, SimulationOptions options, const Apply& apply) {
  Errors out;
  options.seeded_calls = true;
  const SimulationOptions unchanged = options;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    options = unchanged;
    options.seed = seed;
    const SimulatedProgram before = simulate_program(options);
    apply(options);
    const double real = length_of(simulate_program(options));
    const Result<Replay> replay = Replay::of(before.trace);
    const Result<Change> wanted = parse_change(change);
    EXPECT_TRUE(replay.ok() && wanted.ok());
    if (!replay.ok() || !wanted.ok()) break;
    EXPECT_LE(replay->drift(), 0.001);
    const Result<Prediction> prediction = replay->predict({*wanted});
    EXPECT_TRUE(prediction.ok()) << (prediction.ok() ? "" : prediction.error().message);
    if (!prediction.ok()) break;
    out.of_prediction.push_back(std::abs(static_cast<double>(prediction->outcome.length.count()) - real) /
                                real);
    out.of_change.push_back(std::abs(real - length_of(before)) / length_of(before));
  }
  return out;
}

void expect_errors(const std::string& name, const Errors& errors, double median_error, double most) {
  ASSERT_FALSE(errors.of_prediction.empty());
  const double error = median(errors.of_prediction), worst = *std::ranges::max_element(errors.of_prediction);
  ::testing::Test::RecordProperty(name + ": median error", std::to_string(error));
  ::testing::Test::RecordProperty(name + ": largest error", std::to_string(worst));
  ::testing::Test::RecordProperty(name + ": median change", std::to_string(median(errors.of_change)));
  EXPECT_LE(error, median_error) << name;
  EXPECT_LE(worst, most) << name;
  EXPECT_GT(median(errors.of_change), 2 * error) << name;  // there was something to predict
}

template <typename Apply>
void expect_prediction(const std::string& change, double median_error, double most, const Apply& apply) {
  expect_errors(change + " with records", errors_of(change, {.with_records = true}, apply), median_error,
                most);
  expect_errors(change + " without records", errors_of(change, {}, apply), median_error, most);
}

TEST(Counterfactual, SynchronisationsOfTheDeviceAreDropped) {
  expect_prediction("sync:cudaDeviceSynchronize=drop", 0.01, 0.04,
                    [](SimulationOptions& options) { options.without_call = "cudaDeviceSynchronize"; });
}

TEST(Counterfactual, SynchronisationsOfStreamsAreDropped) {
  expect_prediction("sync:cudaStreamSynchronize=drop", 0.01, 0.04,
                    [](SimulationOptions& options) { options.without_call = "cudaStreamSynchronize"; });
}

TEST(Counterfactual, KernelsTakeHalfTheTime) {
  expect_prediction("op:kernel*=0.5", 0.01, 0.04,
                    [](SimulationOptions& options) { options.kernel_factor = 0.5; });
}

// The programs do not wait, and launch slowly: the streams are often idle. Without records, a wait of a
// stream for an event that was over is not known, and the streams of the graph overlap where they may not.
TEST(Counterfactual, AllIsLaunchedAsOneGraph) {
  const auto as_graph = [](SimulationOptions& options) { options.as_graph = true; };
  SimulationOptions options{.with_records = true, .host_factor = 3, .waits = false};
  expect_errors("graph=1 with records", errors_of("graph=1", options, as_graph), 0.01, 0.04);
  options.with_records = false;
  expect_errors("graph=1 without records", errors_of("graph=1", options, as_graph), 0.08, 0.25);
}

TEST(Counterfactual, KernelsTakeTwiceTheTime) {
  expect_prediction("op:kernel*=2", 0.01, 0.04,
                    [](SimulationOptions& options) { options.kernel_factor = 2; });
}

}  // namespace
}  // namespace runahead::predict
