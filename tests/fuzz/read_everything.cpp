#include "tests/fuzz/read_everything.h"

#include "instrumentation/base/check.h"
#include "instrumentation/causes/rank_report.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::testing {

using namespace trace;

namespace {

// Matches the collectives of a trace with themselves, and explains the ranks of a joined trace.
std::uint64_t explain_collectives(const Trace& trace) {
  const causes::Execution execution(trace);
  const std::vector<causes::Collective> all =
      causes::find_collectives(execution, causes::find_steps(execution));
  if (const auto matched = causes::match_collectives(all, all)) {
    for (const auto& [a, b] : matched->pairs) RUNAHEAD_CHECK(a < all.size() && b < all.size());
  }
  return trace::ranks_of(trace).empty() ? all.size() : causes::explain_ranks(trace).collectives.size();
}

// Replays the run, also with other barriers.
std::uint64_t replay(const Trace& trace) {
  const Result<predict::Replay> replay = predict::Replay::of(trace);
  if (!replay) return 0;
  std::uint64_t sum = replay->replayed().ops_run;
  for (const char* barrier : {"none", "waitall", "window:2", "bytes:1k"}) {
    const auto prediction = replay->predict({{"barrier", barrier}});
    if (prediction) sum += prediction->outcome.ops_run;
  }
  return sum;
}

}  // namespace

std::uint64_t read_everything(const Trace& trace) {
  std::uint64_t sum = 0;
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const Slice slice = lane.slice(row);
        RUNAHEAD_CHECK(slice.begin <= slice.end);
        sum += trace.string(slice.name).size() + trace.args(slice.args).size() +
               static_cast<std::uint64_t>(slice.duration().count());
      }
      if (!lane.empty()) {
        sum += lane.longest_row(lane.first_row(), lane.end_row());
        sum += static_cast<std::uint64_t>(lane.busy(lane.first_row(), lane.end_row()).count());
      }
    }
    if (!track.counter.empty()) sum += track.counter.extremes(trace.extent()).has_value() ? 1 : 0;
    CounterReader samples(track.counter);
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row)
      sum += static_cast<std::uint64_t>(ns_from(samples.sample(row).at));
  }
  InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i) {
    const Instant instant = instants.instant(i);
    RUNAHEAD_CHECK_OP(raw(instant.track), <, trace.tracks().size());
    sum += trace.string(instant.name).size() + trace.args(instant.args).size();
  }
  for (std::uint64_t i = 0; i < trace.op_count(); ++i)
    sum += trace.op(trace.op_row(i).id).has_value() ? 1 : 0;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) sum += raw(trace.flow(i).op);
  for (std::uint64_t i = 0; i < trace.dependency_count(); ++i) sum += raw(trace.dependency(i).on);
  trace.allocations().each(Timestamp::max(), [&](const Allocation& row) {
    RUNAHEAD_CHECK(row.end == kNever || row.begin <= row.end);
    RUNAHEAD_CHECK(row.dropped == kNever || (row.begin <= row.dropped && row.dropped <= row.end));
    sum += trace.string(row.name).size() + trace.string(row.category).size() + row.block;
  });
  // To explain a trace takes five times as long as to read it, so only some inputs are explained and
  // replayed.
  constexpr std::uint64_t kExplainOneIn = 8;
  if (sum % kExplainOneIn != 0) return sum;
  const causes::Explanation explanation = causes::explain(trace);
  Duration path{};
  for (const Duration time : explanation.path.times) path += time;
  RUNAHEAD_CHECK(explanation.range.empty() || path == explanation.range.duration());
  return sum + explanation.findings.size() + explain_collectives(trace) + replay(trace);
}

}  // namespace runahead::testing
