// Tests the allocations that a run records, and the memory report that is made from them. At any time of a
// run, the live blocks of each category add up to the category's counter.
#include <gtest/gtest.h>

#include <map>

#include "gui/session/session.h"
#include "instrumentation/analysis/memory_report.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

using analysis::MemoryReport;

trace::Trace trace_of_run(const std::string& device, engine::AllocationTime allocation) {
  Session session;
  samples::RunConfig config;
  config.workload = "training_memory";
  config.devices = {device};
  config.settings["steps"] = "4";
  config.engine.allocation = allocation;
  EXPECT_FALSE(session.start(config).has_value());
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
  EXPECT_FALSE(session.trace().losses().facts_missing());
  return session.trace().snapshot();
}

void expect_sums_are_the_counters(const trace::Trace& trace, const std::string& device) {
  const std::vector<TrackId> counters = analysis::memory_counters(trace);
  const auto of_device =
      std::ranges::find(counters, device, [&](TrackId id) { return trace.track(id).info.device; });
  ASSERT_NE(of_device, counters.end());
  const trace::CounterSeries& live = trace.track(*of_device).counter;
  const std::uint64_t step = std::max<std::uint64_t>((live.end_row() - live.first_row()) / 200, 1);
  std::uint64_t looked = 0, named_ops = 0;
  for (std::uint64_t row = live.first_row(); row < live.end_row(); row += step) {
    const Timestamp at = live.sample(row).at;
    // If two changes have the same time in nanoseconds, the report may show the memory after either of them.
    // Such times are skipped.
    if (row + 1 < live.end_row() && live.sample(row + 1).at == at) continue;
    const MemoryReport report = analysis::memory_report(trace, *of_device, at);
    ASSERT_EQ(report.unnamed_bytes(), 0) << "at " << ns_from(at);
    std::map<std::string, double> by_category;
    for (const analysis::MemoryShare& share : report.by_category)
      by_category[share.category] += static_cast<double>(share.bytes);
    for (const trace::Track& track : trace.tracks()) {
      if (track.info.role != trace::CounterRole::kCategoryBytes || track.info.device != device) continue;
      const std::string category = track.info.name.substr(0, track.info.name.find(' '));
      ASSERT_EQ(by_category[category], track.counter.value_at(at).value_or(0)) << category;
    }
    for (const analysis::MemoryHolder& holder : report.holders) {
      const auto op = trace.op(holder.largest);
      if (!op) continue;
      ++named_ops;
      ASSERT_EQ(trace.string(op->name), holder.op) << "the op that allocated it";
    }
    ++looked;
  }
  EXPECT_GT(looked, 20u);
  EXPECT_GT(named_ops, looked) << "most holders lead to their op";
}

TEST(MemoryOfARun, TheBlocksOfEachCategoryAddUpToWhatWasCounted) {
  for (const std::string device : {"virtual:0", "cpu"}) {
    for (const auto allocation : {engine::AllocationTime::kAtEnqueue, engine::AllocationTime::kAtExecution}) {
      expect_sums_are_the_counters(trace_of_run(device, allocation), device);
    }
  }
}

}  // namespace
}  // namespace runahead::gui
