// Tests that every exercise can be opened exactly as its text says, and that it runs to its end.
#include "samples/lessons/exercise.h"

#include <algorithm>
#include <cmath>

#include "tests/samples/run_support.h"

namespace runahead::samples {

static void PrintTo(const Exercise& exercise, std::ostream* out) { *out << exercise.title; }

namespace {

class EveryExercise : public ::testing::TestWithParam<Exercise> {
 protected:
  [[nodiscard]] static const WorkloadSpec* spec() {
    const auto& all = list_workloads();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const WorkloadSpec* w) { return w->name == GetParam().workload; });
    return found != all.end() ? *found : nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Listed, EveryExercise, ::testing::ValuesIn(list_exercises()),
                         [](const auto& of) { return "number_" + std::to_string(of.param.number); });

TEST_P(EveryExercise, SetsOnlyWhatItsWorkloadHas) {
  const Exercise& exercise = GetParam();
  ASSERT_NE(spec(), nullptr) << exercise.workload;
  const Result<Parameters> parameters = make_parameters(*spec(), exercise.size, exercise.settings);
  EXPECT_TRUE(parameters.ok()) << parameters.error().message;
  const Result<BarrierPolicy> barrier = parse_barrier(exercise.barrier);
  ASSERT_TRUE(barrier.ok()) << barrier.error().message;
  const auto& fitting = spec()->barriers;
  EXPECT_NE(std::find(fitting.begin(), fitting.end(), barrier->kind), fitting.end()) << exercise.barrier;
}

TEST_P(EveryExercise, SaysWhatToDoAndWhatToCompare) {
  EXPECT_GE(GetParam().steps.size(), 2u);
  EXPECT_LE(GetParam().steps.size(), 3u);
  for (const std::string& step : GetParam().steps) EXPECT_TRUE(step.ends_with('.') || step.ends_with('?'));
  EXPECT_FALSE(GetParam().compare.empty());
  EXPECT_LE(GetParam().title.size(), 70u) << "the title fits a line of the list";
}

const WorkloadSpec& spec_of(const std::string& name) {
  const auto& all = list_workloads();
  return **std::ranges::find_if(all, [&](const WorkloadSpec* spec) { return spec->name == name; });
}

TEST_P(EveryExercise, RunsToItsEndAndMeasuresWhatItSpeaksOf) {
  const RunReport report = report_of(config_of(GetParam()));
  EXPECT_EQ(report.barrier, GetParam().barrier);
  EXPECT_EQ(report.steps, static_cast<std::int64_t>(report.params.at("steps")));
  for (const auto& [name, value] : report.result) EXPECT_TRUE(std::isfinite(value)) << name;
  std::size_t spoken_of = 0;
  for (const ShownTable& table : show_results(spec_of(report.workload).results, report)) {
    for (const ShownRow& row : table.rows)
      spoken_of += GetParam().compare.find(row.label) != std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(GetParam().endless || spoken_of >= 2) << "its text compares results by their labels";
}

TEST(Exercises, AreNumberedFromOneAndFoundByTheirNumber) {
  int number = 0;
  for (const Exercise& exercise : list_exercises()) {
    EXPECT_EQ(exercise.number, ++number);
    EXPECT_EQ(find_exercise(number), &exercise);
  }
  EXPECT_EQ(number, 8);
  EXPECT_EQ(find_exercise(0), nullptr);
  EXPECT_EQ(find_exercise(9), nullptr);
}

TEST(Exercises, TheFirstHasAFrontendThatIsTheBottleneckUntilItsCostIsTakenAway) {
  RunConfig config = config_of(*find_exercise(1));
  EXPECT_EQ(report_of(config).result.at("frontend_is_bottleneck"), 1.0);
}

TEST(Exercises, TheSixthComparesARunWithOneWorkerWithOneWithTwo) {
  const Exercise& sixth = *find_exercise(6);
  EXPECT_NE(sixth.steps[1].find("--workers 2"), std::string::npos) << sixth.steps[1];
  RunConfig config = config_of(sixth);
  const RunReport one = report_of(config);
  config.engine.cpu_workers = 2;
  const RunReport two = report_of(config);
  EXPECT_EQ(one.settings.at("workers"), "1");
  EXPECT_EQ(two.settings.at("workers"), "2");
  EXPECT_EQ(one.ops, two.ops);  // the number of workers is the only difference between the two runs
  EXPECT_EQ(one.params, two.params);
  EXPECT_EQ(one.result_text, two.result_text);
}

}  // namespace
}  // namespace runahead::samples
