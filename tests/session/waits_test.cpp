// Tests the analysis of waits that the real engine records: what was each wait waiting for? The parts into
// which the analysis divides a wait add up to the wait's duration. The reason is known for nearly all of the
// waiting time.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/analysis/waits/wait_totals.h"
#include "tests/support/between_checks.h"
#include "tests/support/random.h"

namespace runahead::gui {
namespace {

using analysis::WaitPart;
using analysis::WaitReason;
using analysis::WaitTotals;
using samples::RunConfig;

// Runs the workload to its end. After that, the trace is complete.
void run_whole(Session& session, const RunConfig& config) {
  const auto error = session.start(config);
  ASSERT_FALSE(error) << error->error.message;
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
}

RunConfig config_of(const char* workload, const char* device, const char* barrier) {
  RunConfig config;
  config.workload = workload;
  config.devices = {device};
  config.barrier = *parse_barrier(barrier);
  config.settings["steps"] = "4";
  return config;
}

struct Checked {
  std::uint64_t waits = 0;
  Duration total{};
};
// Checks each wait of every frontend.
Checked check_every_wait(const trace::Trace& trace) {
  Checked checked;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (slice.kind != trace::SliceKind::kWait) continue;
        const WaitReason reason = analysis::wait_reason(trace, {slice, track.info.id, false});
        EXPECT_EQ(reason.split.total(), slice.duration());
        for (const Duration part : reason.split.parts) EXPECT_GE(part, Duration{});
        for (std::size_t i = 1; i < reason.chain.size(); ++i) {
          EXPECT_LT(reason.chain[i], reason.chain[i - 1]);
        }
        ++checked.waits;
        checked.total += slice.duration();
      }
    }
  }
  return checked;
}

TEST(WaitsOfARun, SumToTheWaitsWhateverRuns) {
  runahead::testing::Random random;
  const std::vector<const char*> workloads{"training_memory", "increment", "barriers", "inference_memory"};
  const std::vector<const char*> barriers{"none", "waitall", "wait_to_read", "item", "window:2", "ops:3"};
  for (int round = 0; round < 12; ++round) {
    const auto any = [&](const std::vector<const char*>& of) {
      return of[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(of.size()) - 1))];
    };
    RunConfig config = config_of(any(workloads), random.chance(0.5) ? "cpu" : "virtual:0", any(barriers));
    if (config.workload == "increment") config.settings["iterations"] = "50";
    if (config.workload == "barriers") config.settings["extent"] = "64";
    config.engine.cpu_workers = static_cast<int>(random.integer(1, 3));
    if (random.chance(0.3)) config.engine.limit_ops = random.integer(1, 8);
    SCOPED_TRACE(config.workload + " on " + config.devices[0] + ", " + to_string(config.barrier));
    Session session;
    run_whole(session, config);
    const Checked checked = check_every_wait(session.trace());
    EXPECT_GT(checked.waits, 0u);
    TimeRange all = session.trace().extent();
    all.end += Duration{1};
    const WaitTotals totals = analysis::wait_totals(session.trace(), all);
    EXPECT_EQ(totals.count, checked.waits);  // waits are not nested, so the totals count every wait
    EXPECT_EQ(totals.split.total(), checked.total);
  }
}

TEST(WaitsOfARun, AreKnownToTheOpsBeforeThem) {
  for (const char* device : {"cpu", "virtual:0"}) {
    for (const char* barrier : {"waitall", "wait_to_read", "item", "none"}) {
      SCOPED_TRACE(std::string(device) + ", " + barrier);
      Session session;
      run_whole(session, config_of("training_memory", device, barrier));
      const WaitTotals totals = analysis::wait_totals(session.trace(), session.trace().extent());
      const double total = static_cast<double>(totals.split.total().count());
      EXPECT_GT(total, 0);
      EXPECT_LT(static_cast<double>(totals.split.of(WaitPart::kOther).count()), 0.02 * total);
      EXPECT_GT(totals.split.of(WaitPart::kExecuting), Duration{});
      EXPECT_EQ(totals.split.of(WaitPart::kLimit), Duration{});
    }
  }
}

TEST(WaitsOfARun, OfABlockerHoldItsCopyOnEveryDevice) {
  for (const char* device : {"cpu", "virtual:0"}) {
    SCOPED_TRACE(device);
    Session session;
    RunConfig config = config_of("barriers", device, "asnumpy");
    // The array to copy has a megabyte. Therefore its copy is still in flight when the frontend waits, even
    // if the frontend loses its core for a moment.
    config.settings["extent"] = "512";
    run_whole(session, config);
    const WaitTotals totals = analysis::wait_totals(session.trace(), session.trace().extent());
    EXPECT_GT(totals.split.of(WaitPart::kCopying), Duration{});
    const auto asnumpy = std::ranges::find(totals.by_site, "asnumpy", &analysis::WaitSite::name);
    ASSERT_NE(asnumpy, totals.by_site.end());
    EXPECT_GT(asnumpy->split.of(WaitPart::kCopying), Duration{});
  }
}

TEST(WaitsOfARun, HeldByTheLimitAreTheLimits) {
  RunConfig config = config_of("training_memory", "virtual:0", "none");
  config.engine.limit_ops = 3;
  Session session;
  run_whole(session, config);
  const WaitTotals totals = analysis::wait_totals(session.trace(), session.trace().extent());
  EXPECT_GT(totals.split.of(WaitPart::kLimit), Duration{});
  for (const analysis::WaitSite& site : totals.by_site) {
    const bool limit = site.name == "held by the limit";
    EXPECT_EQ(site.split.of(WaitPart::kLimit), limit ? site.split.total() : Duration{}) << site.name;
  }
}

}  // namespace
}  // namespace runahead::gui
