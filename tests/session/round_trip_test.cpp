// Tests recordings of every workload. Each recording is exported in each format and imported again. The
// import must have all recorded rows.
#include <gtest/gtest.h>

#include <filesystem>

#include "gui/session/export.h"
#include "gui/session/session.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/recording/trace_rows.h"
#include "tests/samples/run_support.h"
#include "tests/support/between_checks.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using samples::RunConfig;
using testing::ScratchFolder;

samples::RunConfig run_of(const samples::WorkloadSpec& spec) {
  RunConfig config{
      .workload = spec.name, .devices = {"virtual:0"}, .settings = samples::tiny_settings(spec.name)};
  // A bulk is a group of ops that the engine schedules as one op. Only training_memory uses bulks here,
  // because each of its steps has many bulks. In a workload whose step is a single bulk, the recording might
  // have no dependencies between ops.
  if (spec.name == "training_memory") config.engine.bulk = 4;
  return config;
}

template <typename Condition>
void poll_until(Session& session, const Condition& done) {
  while (!done()) {
    if (!session.poll()) between_checks();
  }
}

// Changes the barrier of an endless run several times, then pauses, resumes and stops the run. With a safety
// limit of 8 ops in flight (limit_ops), the limit may block the frontend at any of these times.
void run_with_events(Session& session, RunConfig config) {
  config.endless = true;
  config.engine.limit_ops = 8;
  ASSERT_FALSE(session.start(config).has_value());
  for (const char* barrier : {"wait_to_read", "waitall", "none"}) {
    const auto before = session.runner()->engine_stats().steps_finished;
    session.runner()->set_barrier(*parse_barrier(barrier));
    poll_until(session, [&] { return session.runner()->engine_stats().steps_finished > before + 2; });
  }
  session.runner()->pause();
  poll_until(session, [&] { return session.runner()->state() == samples::RunState::kPaused; });
  session.runner()->resume();
  session.stop();
}

class EveryRoundTrip : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> every_workload() {
  std::vector<std::string> names;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) names.push_back(spec->name);
  return names;
}
std::string round_trip_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(OfAWorkload, EveryRoundTrip, ::testing::ValuesIn(every_workload()), round_trip_name);

TEST_P(EveryRoundTrip, ComesBackFromEveryFormatWithAllOfItsRows) {
  Session session;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) {
    if (spec->name == GetParam()) run_with_events(session, run_of(*spec));
  }
  session.settle();
  const ScratchFolder folder;
  ASSERT_TRUE(write_trace(session.trace(), folder / "a.runahead", FileFormat::kRecording).ok());
  const Result<trace::Trace> recorded = importers::load_any(folder / "a.runahead");
  ASSERT_TRUE(recorded.ok());
  EXPECT_GT(recorded->op_count(), 0u);
  EXPECT_GT(recorded->dependency_count(), 0u);
  EXPECT_GT(recorded->allocations().size(), 0u);
  EXPECT_GT(recorded->instant_count(), 1u);  // the changes of the barrier are instants
  const std::string rows = testing::rows_text(*recorded);
  for (const char* name : {"a.json", "a.json.gz", "a.pftrace", "a.pftrace.gz"}) {
    const Status written = write_trace(*recorded, folder / name, *format_of_name(name));
    if (!written && written.error().message.find("by this build") != std::string::npos) continue;
    ASSERT_TRUE(written.ok()) << written.error().message;
    const Result<trace::Trace> back = importers::load_any(folder / name);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(testing::rows_text(*back) == rows) << name;
    std::map<std::string, std::string> facts = recorded->metadata();
    facts["format"] = back->metadata().at("format");
    EXPECT_EQ(back->metadata(), facts) << name;
  }
}

}  // namespace
}  // namespace runahead::gui
