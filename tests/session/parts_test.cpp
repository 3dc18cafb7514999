// Tests that every workload divides its run into parts, and that a recording and its exports keep them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/export.h"
#include "gui/session/session.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/samples/run_support.h"
#include "tests/support/between_checks.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using analysis::PartOfRun;
using runahead::testing::ScratchFolder;

const samples::WorkloadSpec& spec_of(const std::string& workload) {
  return *samples::find_workload(workload);
}

class EveryWorkloadsParts : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs the workload and returns its trace.
  const trace::Trace& run(bool endless) {
    samples::RunConfig config{
        .workload = GetParam(), .settings = samples::tiny_settings(GetParam()), .endless = endless};
    config.engine.limit_ops = 1000;  // so that few ops are left to run after the stop
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(session_.start(config).has_value());
    const auto over = [&] {
      return endless ? session_.runner()->engine_stats().steps_finished > 20
                     : session_.runner()->state() == samples::RunState::kFinished;
    };
    while (!over()) {
      if (!session_.poll()) between_checks();
    }
    session_.stop();
    session_.settle();
    (void)::testing::internal::GetCapturedStderr();
    return session_.trace();
  }
  Session session_;
};

std::vector<std::string> names_of(const std::vector<PartOfRun>& parts) {
  std::vector<std::string> names;
  for (const PartOfRun& part : parts) names.push_back(part.name);
  return names;
}

std::vector<std::string> all_workloads() {
  std::vector<std::string> names;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) names.push_back(spec->name);
  return names;
}
std::string name_of_workload(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Of, EveryWorkloadsParts, ::testing::ValuesIn(all_workloads()), name_of_workload);

std::uint64_t steps_outside(const trace::Trace& trace, TimeRange of_part) {
  std::uint64_t outside = 0;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (slice.kind != trace::SliceKind::kStep) continue;
        outside += slice.begin >= of_part.begin && slice.end <= of_part.end ? 0 : 1;
      }
    }
  }
  return outside;
}

TEST_P(EveryWorkloadsParts, CoverItsRunInOrderWithoutOverlap) {
  const trace::Trace& trace = run(false);
  const std::vector<PartOfRun> parts = analysis::parts_of_run(trace);
  std::vector<std::string> named = spec_of(GetParam()).parts;
  if (GetParam() == "hybridize") named.pop_back();  // the part of an endless run
  if (named.empty()) named = {std::string(trace::kStepsPart)};
  // data_parallel touches memory before its last part.
  if (GetParam() == "data_parallel") named.insert(named.end() - 1, std::string(trace::kPreparationPart));
  named.insert(named.begin(), std::string(trace::kPreparationPart));
  named.emplace_back(trace::kResultsPart);
  EXPECT_EQ(names_of(parts), named);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LT(parts[i].range.begin, parts[i].range.end) << parts[i].name;
    EXPECT_EQ(parts[i].last, i + 1 == parts.size());
  }
  for (std::size_t i = 1; i < parts.size(); ++i)
    EXPECT_EQ(parts[i].range.begin, parts[i - 1].range.end) << parts[i].name;
}

TEST_P(EveryWorkloadsParts, OneOfThemHasAllSteps) {
  const trace::Trace& trace = run(false);
  const std::vector<PartOfRun> parts = analysis::parts_of_run(trace);
  const PartOfRun* const main = analysis::main_part(trace, parts, trace.extent());
  ASSERT_NE(main, nullptr);
  EXPECT_TRUE(analysis::has_steps(trace, *main));
  EXPECT_EQ(steps_outside(trace, main->range), 0u);
}

TEST_P(EveryWorkloadsParts, OfAnEndlessRunBeginWithItsPreparation) {
  const trace::Trace& trace = run(true);
  const std::vector<PartOfRun> parts = analysis::parts_of_run(trace);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].name, trace::kPreparationPart);
  EXPECT_EQ(analysis::main_part(trace, parts, trace.extent()), &parts[1]);
  EXPECT_EQ(steps_outside(trace, parts[1].range), 0u);
}

TEST_P(EveryWorkloadsParts, AreKeptByItsRecordingAndExports) {
  const std::vector<PartOfRun> parts = analysis::parts_of_run(run(false));
  const ScratchFolder folder;
  for (const char* name : {"a.runahead", "a.json", "a.pftrace"}) {
    const Status written = write_trace(session_.trace(), folder / name, *format_of_name(name));
    if (!written && written.error().message.find("by this build") != std::string::npos) continue;
    ASSERT_TRUE(written.ok()) << written.error().message;
    const Result<trace::Trace> back = importers::load_any(folder / name);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(analysis::parts_of_run(*back), parts) << name;
  }
}

}  // namespace
}  // namespace runahead::gui
