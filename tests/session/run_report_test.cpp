// Tests the report of a run for every workload. The values of the report must agree with each other and with
// the recording of the run: the frontend's time, the enqueued ops and their devices, and the memory allocated
// before the clock started.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/analysis/waits/wait_totals.h"
#include "tests/samples/run_support.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

using samples::RunConfig;
using samples::RunReport;

struct Case {
  std::string workload, device;  // empty device: the workload's default device
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.workload << " on " << of.device; }

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) {
    cases.push_back({spec->name, ""});
    cases.push_back({spec->name, "virtual:0"});
    if (!spec->needs_accelerator) cases.push_back({spec->name, "cpu"});
  }
  return cases;
}
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const std::string& device = info.param.device;
  return info.param.workload + "_" + (device.empty() ? "default" : device.substr(0, device.find(':')));
}

RunConfig config_of(const Case& of, const char* barrier) {
  RunConfig config{.workload = of.workload,
                   .barrier = *parse_barrier(barrier),
                   .settings = samples::tiny_settings(of.workload)};
  if (!of.device.empty()) config.devices = {of.device};
  return config;
}

// Runs the workload to its end. After that, the session's trace is complete.
RunReport run_to_end(Session& session, const RunConfig& config) {
  ::testing::internal::CaptureStderr();
  const auto refused = session.start(config);
  EXPECT_FALSE(refused) << refused->error.message;
  if (refused) return {};
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
  const Result<RunReport> report = session.runner()->wait();
  (void)::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  return report.ok() ? *report : RunReport{};
}

class ReportOfEveryWorkload : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, ReportOfEveryWorkload, testing::ValuesIn(every_case()), name_of_case);

// The largest difference that rounding can cause: each wait is rounded once to nanoseconds.
double rounding_s(std::uint64_t waits) { return 1e-6 + 2e-9 * static_cast<double>(waits); }

TEST_P(ReportOfEveryWorkload, TheFrontendsTimeIsToldWhole) {
  for (const char* barrier : {"none", "waitall", "ops:3"}) {
    SCOPED_TRACE(barrier);
    Session session;
    const RunReport report = run_to_end(session, config_of(GetParam(), barrier));
    EXPECT_NEAR(report.enqueue_s + report.blocked_s + report.final_wait_s + report.other_s, report.wall_s,
                1e-9 + 1e-6 * report.wall_s);
    for (const double part :
         {report.enqueue_s, report.blocked_s, report.final_wait_s, report.other_s, report.results_wait_s})
      EXPECT_GE(part, 0);
    TimeRange all = session.trace().extent();
    all.end += Duration{1};
    const analysis::WaitTotals waits = analysis::wait_totals(session.trace(), all);
    EXPECT_NEAR(report.blocked_s + report.final_wait_s + report.results_wait_s,
                std::chrono::duration<double>(waits.split.total()).count(), rounding_s(waits.count));
    EXPECT_GT(waits.count, 0u);
  }
}

TEST_P(ReportOfEveryWorkload, CountsTheOpsOfItsRecordingAndNamesTheDevicesTheyRanOn) {
  for (const int bulk : {0, 4}) {
    RunConfig config = config_of(GetParam(), "none");
    config.engine.bulk = bulk;
    Session session;
    const RunReport report = run_to_end(session, config);
    EXPECT_FALSE(session.trace().losses().facts_missing());
    EXPECT_EQ(static_cast<std::uint64_t>(report.ops + report.bulk_members), session.trace().counts().ops);
    EXPECT_TRUE(bulk > 0 || report.bulk_members == 0);
    std::int64_t ops = 0;
    for (const RunReport::Device& device : report.devices) {
      EXPECT_EQ(device.simulated, device.name.starts_with("virtual:")) << device.name;
      EXPECT_GT(device.ops, 0) << device.name;
      ops += device.ops;
    }
    EXPECT_EQ(ops, report.ops);
    for (const std::string& name : samples::names_of_devices(config)) {
      EXPECT_TRUE(std::ranges::any_of(report.devices, [&](const auto& one) { return one.name == name; }))
          << name;
    }
  }
}

TEST(RunReportOf, TwoDevicesIsOfBothWhereTheWorkloadAddsOne) {
  Session session;
  const RunReport report = run_to_end(session, config_of({"auto_parallel", "cpu"}, "none"));
  ASSERT_EQ(report.devices.size(), 2u);
  EXPECT_EQ(report.devices[0].name, "cpu");
  EXPECT_FALSE(report.devices[0].simulated);
  EXPECT_FALSE(report.devices[0].added);
  EXPECT_EQ(report.devices[1].name, "virtual:0");
  EXPECT_TRUE(report.devices[1].simulated);
  EXPECT_TRUE(report.devices[1].added);
  EXPECT_EQ(report.device, "cpu, virtual:0 (simulated)");
  EXPECT_EQ(session.trace().metadata().at("device"), "cpu, virtual:0");
  EXPECT_TRUE(session.trace().metadata().contains("device.virtual:0"));
}

TEST(RunReportOf, AWorkloadThatComputesForItselfSaysSoAsOtherTime) {
  Session session;
  const RunReport direct = run_to_end(session, config_of({"warmup", "cpu"}, "none"));
  EXPECT_GE(direct.other_s, direct.result.at("direct_s"));
  RunConfig loading = config_of({"training_memory", "virtual:0"}, "none");
  loading.settings["loader_us"] = "2000";
  const RunReport loads = run_to_end(session, loading);
  EXPECT_GE(loads.other_s, 4 * 0.002);
  // Each enqueue costs a millisecond. This time must not count as other work.
  RunConfig slow = config_of({"training_memory", "virtual:0"}, "none");
  slow.settings["frontend_us"] = "1000";
  const RunReport enqueues = run_to_end(session, slow);
  EXPECT_GE(enqueues.enqueue_s, 4 * 20 * 0.001);
}

// ---- memory allocated before the clock starts ---------------------------------------------------------

const trace::Track* reserved_of(const trace::Trace& trace, const std::string& device) {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.role == trace::CounterRole::kReservedBytes && track.info.device == device) return &track;
  }
  return nullptr;
}

// The time at which the frontend begins its first step.
Timestamp first_step(const trace::Trace& trace) {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        if (lane.slice(row).kind == trace::SliceKind::kStep) return lane.slice(row).begin;
      }
    }
  }
  ADD_FAILURE() << "no step";
  return {};
}

struct Reserved {
  double before = 0, most = 0;  // bytes when the first step begins; largest number of bytes
};
Reserved reserved_by_run(const RunConfig& config, RunReport& report) {
  Session session;
  report = run_to_end(session, config);
  const trace::Trace& trace = session.trace();
  const trace::Track* const track = reserved_of(trace, config.devices.front());
  if (track == nullptr || track->counter.empty()) return {};
  TimeRange all = trace.extent();
  all.end += Duration{1};
  return {track->counter.value_at(first_step(trace)).value_or(0), track->counter.extremes(all)->max};
}

RunConfig training(const std::string& barrier) {
  return {.workload = "training_memory",
          .devices = {"virtual:0"},
          .barrier = *parse_barrier(barrier),
          .settings = {{"steps", "20"}, {"frontend_us", "0"}}};
}

TEST(MemoryBeforeTheClock, AFreeRunTakesNoneOfTheSystemButForItsParameters) {
  RunReport report;
  const Reserved reserved = reserved_by_run(training("none"), report);
  EXPECT_GE(reserved.before, 0.8 * 20 * report.step_bytes);
  EXPECT_LE(reserved.most - reserved.before, 2 * report.params_bytes + 65'536);
  // Memory that was only touched in advance does not count as live, and does not count as memory of the
  // steps.
  EXPECT_LE(report.peak_bytes, 20 * report.step_bytes + report.params_bytes + 65'536);
  EXPECT_EQ(report.steps, 20);
}

TEST(MemoryBeforeTheClock, IsNoMoreThanTheBarrierLetsARunHold) {
  for (const char* barrier : {"wait_to_read", "window:2", "bytes:5M"}) {
    SCOPED_TRACE(barrier);
    RunReport report;
    const Reserved reserved = reserved_by_run(training(barrier), report);
    EXPECT_GT(reserved.before, 0);
    EXPECT_LE(reserved.before, 4 * report.step_bytes);
  }
}

TEST(MemoryBeforeTheClock, LeavesHalfOfTheCapacityUntouched) {
  RunConfig config = training("none");
  config.engine.capacity_bytes = 160'000'000;
  RunReport report;
  const Reserved reserved = reserved_by_run(config, report);
  EXPECT_LE(reserved.before, 80'000'000);
}

}  // namespace
}  // namespace runahead::gui
