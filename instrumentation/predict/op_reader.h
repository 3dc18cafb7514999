// Reads the ops of a recording for read_program(): their queues, durations and delays. Internal to predict.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// Delays of which a run has no example. Measured on Linux: ending a spin takes 1 to 3 us, and waking a thread
// 10 us if its processor polls, else 20 to 70 us.
inline constexpr Delays kUsualWakeUps{{Duration(300), Duration(3'000), Duration(11'000), Duration(35'000)}};
inline constexpr Delays kUsualWorkerDelays{
    {Duration(200), Duration(2'000), Duration(12'000), Duration(40'000)}};
// A real stream: a thread launches the op, and the device begins it. Measured on an H200.
inline constexpr Delays kUsualStreamDelays{
    {Duration(5'000), Duration(15'000), Duration(20'000), Duration(30'000)}};
inline constexpr Delays kUsualSimulatedDelays{};
// What item() of several elements takes beyond the wait: it enqueues one or two small ops, and copies a
// number. A copy from a device is an op. A copy within the host is made by the frontend, and a worker that
// has just ended the awaited op goes on with the sum at once.
inline constexpr Duration kUsualReadBack{40'000}, kUsualCopyOfHost{200}, kUsualSumOfHost{3'000};
// Used for a run without a large copy to the host, and without a large op on the device. Copies: of pageable
// memory over PCIe, and within the host to memory that it has to get first.
inline constexpr ReadTimes kUsualReadTimes{
    .copy_ns_per_byte = 0.5, .sum_ns_per_byte = 0.25, .copy = kUsualReadBack, .sum = kUsualReadBack};

// The cpu adds in double precision, one number after the other. An op that only fills memory is faster.
inline constexpr double kLeastSumOfHost = 0.15;  // ns per byte, as measured on an AMD EPYC

// The time to read an array, for each queue of the program. It is read from the copies to the host in
// `range`, and from the op of the device that needs least time for a byte of its output.
[[nodiscard]] std::vector<ReadTimes> read_times_of(const trace::Trace& trace, TimeRange range,
                                                   const Program& program);

// The median of the samples of each kind, and of as many usual delays as kUsualSamples: a few samples may all
// be from the begin of the run, when nothing was in a cache and threads slept deeply.
inline constexpr std::size_t kUsualSamples = 10;
[[nodiscard]] Delays delays_of(const std::array<std::vector<Duration>, kIdleCount>& samples,
                               const Delays& usual);

// Reads the ops that were enqueued in `range` and have run, in the order of their numbers. Adds the queues
// and the ops to `program`; find_delays() fills in the delays. Row i is op i.
[[nodiscard]] std::vector<trace::OpRow> read_ops(const trace::Trace& trace, TimeRange range,
                                                 Program& program);

// The ops of a part of a run (run_part.h).
struct PartOps {
  // Those that were enqueued in the part, and those that were enqueued before it and in flight at `from`. In
  // the order of their numbers.
  std::vector<trace::OpRow> rows;
  // Other ops, which kept servers busy. All ops that ended at or after `complete_from` are in one of the
  // lists, until those of the part have ended.
  std::vector<trace::OpRow> others;
  Timestamp complete_from = Timestamp::min();
};
[[nodiscard]] PartOps read_part_ops(const trace::Trace& trace, TimeRange steps, Timestamp from);
// Adds the queues and the ops to `program`, as read_ops() does.
void add_ops(const trace::Trace& trace, std::span<const trace::OpRow> rows, Program& program);

// The dependencies of each op on other ops of the program, sorted by op; one for each pair and kind.
class OpDependencies {
 public:
  using On = std::pair<OpIndex, trace::DependencyKind>;
  [[nodiscard]] std::span<const On> of(OpIndex op) const {
    return std::span(on_).subspan(first_[op], first_[op + 1] - first_[op]);
  }
  // True if the op also depends on an op that is not of the program.
  [[nodiscard]] bool on_others(OpIndex op) const { return on_others_[op] != 0; }

 private:
  friend OpDependencies read_dependencies(const trace::Trace& trace,
                                          const std::unordered_map<OpId, OpIndex>& index, std::size_t ops,
                                          std::optional<TimeRange> enqueued);
  std::vector<On> on_;
  std::vector<std::size_t> first_;
  std::vector<std::uint8_t> on_others_;
};
// `enqueued`: when the ops were enqueued; then only the rows of this time are read. nullopt: all rows.
[[nodiscard]] OpDependencies read_dependencies(const trace::Trace& trace,
                                               const std::unordered_map<OpId, OpIndex>& index,
                                               std::size_t ops, std::optional<TimeRange> enqueued = {});

// Of a part of a run, an op that also depends on ops from before the part is ready without a delay: how long
// it waited for them is not part of the program. REQUIRES: program.predecessors is complete; its ops are
// `ops.rows`.
void find_delays(const trace::Trace& trace, const PartOps& ops, const OpDependencies& dependencies,
                 Program& program);

}  // namespace runahead::predict
