// Tests how published figures are compared with the figures of a run. Formulas compute a run's figures from
// the run's results.
#include "samples/published.h"

#include <algorithm>

#include "samples/formula.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

const FigureByName kFigures = [](std::string_view name) -> std::optional<double> {
  if (name == "six") return 6;
  if (name == "t1_us") return 1.5;
  return std::nullopt;
};

TEST(Formula, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(evaluate("2 + 3 * 4", kFigures), 14);
  EXPECT_EQ(evaluate("(2 + 3) * 4", kFigures), 20);
  EXPECT_EQ(evaluate("12 / six / 2", kFigures), 1);
  EXPECT_EQ(evaluate("six - 2 - 1", kFigures), 3);
  EXPECT_EQ(evaluate(" t1_us*2 ", kFigures), 3);
  EXPECT_EQ(evaluate("1e3", kFigures), 1000);
  EXPECT_EQ(evaluate("2 * max(six - 1, t1_us * 2) + 1", kFigures), 11);
  EXPECT_EQ(evaluate("max(1, max(2, six))", kFigures), 6);
}

TEST(Formula, WhatIsNoneOrHasNoFigureHasNoValue) {
  for (const char* formula : {"", "max", "max(1)", "max(1, 2", "max(1, unknown)", "max(unknown, 1)", "2 +",
                              "(2", "2)", "2 3", "unknown", "six / 0", "six / unknown", "$"}) {
    EXPECT_EQ(evaluate(formula, kFigures), std::nullopt) << formula;
  }
}

const WorkloadSpec& published_spec_of(const std::string& name) {
  for (const WorkloadSpec* spec : list_workloads()) {
    if (spec->name == name) return *spec;
  }
  ADD_FAILURE() << name;
  return *list_workloads().front();
}

ComparedFigure row_of(const std::vector<ComparedFigure>& rows, const std::string& label) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const ComparedFigure& row) { return row.label == label; });
  if (found == rows.end()) {
    ADD_FAILURE() << "no row " << label;
    return {};
  }
  return *found;
}

TEST(Published, EveryWorkloadHasFiguresAndEachIsMeasuredOrSaysWhyNot) {
  for (const WorkloadSpec* spec : list_workloads()) {
    SCOPED_TRACE(spec->name);
    EXPECT_FALSE(spec->published_figures.empty());
    ::testing::internal::CaptureStderr();
    const std::vector<RunReport> runs = {
        report_of({.workload = spec->name, .settings = tiny_settings(spec->name)})};
    (void)::testing::internal::GetCapturedStderr();
    for (const ComparedFigure& row : compare_published(spec->published_figures, runs)) {
      SCOPED_TRACE(row.set + ": " + row.label);
      EXPECT_NE(row.here.has_value(), !row.note.empty());
      EXPECT_NE(row.note, "Needs a run that has ended, with a fixed number of steps.") << row.formula;
    }
  }
}

TEST(Published, TheShapeIsTheRatioOfTwoVariantsThereAndHere) {
  RunReport run{.workload = "increment", .params = {{"rows", 1}, {"columns", 2}}};
  run.result = {{"sync_s", 0.9}, {"async_s", 0.3}};
  const auto rows = compare_published(published_spec_of("increment").published_figures, {{run}});
  const ComparedFigure sync = row_of(rows, "a wait after each");
  EXPECT_EQ(sync.against, "one wait at the end");
  EXPECT_NEAR(*sync.shape_published, 1.0607 / 0.8800, 1e-9);
  EXPECT_NEAR(*sync.shape_here, 3, 1e-9);
  const ComparedFigure async = row_of(rows, "one wait at the end");
  EXPECT_EQ(async.here, 0.3);
  EXPECT_EQ(async.shape_published, std::nullopt) << "the others are compared with it";
}

TEST(Published, AFigureOfOtherRunsWaitsForOneAndThenIsTakenFromIt) {
  const auto& figures = published_spec_of("training_memory").published_figures;
  RunReport waits{.device = "cpu", .barrier = "wait_to_read", .steps = 50, .wall_s = 4, .final_wait_s = 1};
  RunReport free{.device = "cpu", .barrier = "none", .steps = 50, .wall_s = 4, .final_wait_s = 3.5};
  auto rows = compare_published(figures, {{waits}});
  EXPECT_EQ(row_of(rows, "without a wait").here, std::nullopt);
  EXPECT_EQ(row_of(rows, "without a wait").note, without_a_wait().sentence);
  EXPECT_EQ(row_of(rows, "with a wait each").shape_here, std::nullopt);
  rows = compare_published(figures, {{waits, free}});
  EXPECT_NEAR(*row_of(rows, "without a wait").here, 0.5, 1e-9);
  EXPECT_NEAR(*row_of(rows, "with a wait each").shape_here, 6, 1e-9);
  free.device = "virtual:0 (simulated)";
  rows = compare_published(figures, {{waits, free}});
  EXPECT_EQ(row_of(rows, "with a wait each").here, std::nullopt) << "another device's run is no variant";
  EXPECT_FALSE(row_of(rows, "with a wait each").note.empty());
}

// The titles of the sets of published figures for which the run has a value to compare.
std::vector<std::string> sets_that_fit(const std::string& workload, const RunReport& run) {
  std::vector<std::string> titles;
  for (const ComparedFigure& row :
       compare_published(published_spec_of(workload).published_figures, {{run}})) {
    if (row.here && (titles.empty() || titles.back() != row.set)) titles.push_back(row.set);
  }
  return titles;
}

TEST(Published, TwoDevicesStandBesideTheFiguresOfTwoAlikeOrOfCpuAndGpuOrOfNeither) {
  const auto fit = [](const std::string& devices, double second_extent = 0) {
    RunReport run{.workload = "auto_parallel", .params = {{"extent", 256}, {"second_extent", second_extent}}};
    run.result = {{"slower_s", 1}, {"together_s", 1.1}, {"apart_s", 2}};
    run.result_text = {{"devices", devices}};
    return sets_that_fit("auto_parallel", run);
  };
  using Titles = std::vector<std::string>;
  EXPECT_EQ(fit("virtual:0, virtual:1"), Titles{"Two GPUs, 50 products each"});
  EXPECT_EQ(fit("virtual:0, virtual:1", 256), Titles{"Two GPUs, 50 products each"});
  EXPECT_EQ(fit("virtual:0, virtual:1", 400), Titles{}) << "the slower alone is not half of both";
  EXPECT_EQ(fit("cpu, virtual:0"), Titles{"CPU and GPU, 10 products each"});
  EXPECT_EQ(fit("virtual:0, cpu", 400), Titles{"CPU and GPU, 10 products each"});
  EXPECT_EQ(fit("virtual:0, virtual:0"), Titles{}) << "it is one GPU";
  EXPECT_EQ(fit("cpu, cpu"), Titles{}) << "there is no GPU";
}

TEST(Published, AnArrayStandsBesideTheFiguresOfItsSize) {
  const auto fit = [](double rows, double columns) {
    RunReport run{.workload = "increment", .params = {{"rows", rows}, {"columns", columns}}};
    run.result = {{"sync_s", 0.9}, {"async_s", 0.3}};
    return sets_that_fit("increment", run);
  };
  using Titles = std::vector<std::string>;
  EXPECT_EQ(fit(1, 2), (Titles{"10,000 times, x of 1 x 2", "The same, another article"}));
  EXPECT_EQ(fit(2000, 2000), Titles{"1000 times, x of 2000 x 2000"});
  EXPECT_EQ(fit(100, 100), Titles{}) << "neither small nor large";
}

TEST(Published, BeforeAnythingHasRunThereAreThePublishedFiguresAlone) {
  const auto rows = compare_published(published_spec_of("overlap").published_figures, {});
  EXPECT_EQ(row_of(rows, "one after the other").here, std::nullopt);
  EXPECT_EQ(row_of(rows, "one after the other").note, "");
  EXPECT_NEAR(*row_of(rows, "together").shape_published, 1.3717, 1e-3);
}

TEST(Published, TheGrowthOfInferenceIsTheQueuedInputsWhenMemoryIsTakenAtExecution) {
  RunConfig config{.workload = "inference_memory"};
  config.engine.allocation = engine::AllocationTime::kAtExecution;
  const std::vector<RunReport> runs = {report_of(config)};
  const auto rows = compare_published(published_spec_of("inference_memory").published_figures, runs);
  const auto found = std::find_if(rows.begin(), rows.end(), [](const ComparedFigure& row) {
    return row.unit == "x" && row.label == "without a wait";
  });
  ASSERT_NE(found, rows.end());
  EXPECT_NEAR(*found->shape_published, 1.0, 0.001);
  EXPECT_NEAR(*found->shape_here, 1.0, 0.25);
}

TEST(Published, AFigureIsWrittenAsItWasPrinted) {
  EXPECT_EQ(published_text(1.0607, "s"), "1.0607 s");
  EXPECT_EQ(published_text(245.84, "MB"), "245.84 MB");
  EXPECT_EQ(published_text(500, "x"), "x500");
  EXPECT_EQ(published_text(3, ""), "3");
  EXPECT_EQ(here_text(0.00321, "s"), "3.21 ms");
  EXPECT_EQ(here_text(245.84, "MB"), "246 MB");
}

}  // namespace
}  // namespace runahead::samples
