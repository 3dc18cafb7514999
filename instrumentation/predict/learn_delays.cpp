#include "instrumentation/predict/learn_delays.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "instrumentation/base/median.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/new_memory.h"

namespace runahead::predict {
namespace {

// Of so many ops that ended last, the engine may not have learned.
constexpr std::size_t kMostUnknown = 256;

// The ops of a run in the order in which they ended.
class EndedOps {
 public:
  EndedOps(std::span<const trace::OpRow> rows, Program& program) : rows_(rows), program_(program) {
    order_.resize(rows.size());
    std::iota(order_.begin(), order_.end(), OpIndex{0});
    std::ranges::sort(order_, {}, [&](OpIndex op) { return std::pair(rows[op].ended, op); });
    for (const OpIndex op : order_) ended_bytes_.push_back(wrapping_sum(ended_bytes_.back(), bytes_of(op)));
    for (OpIndex op = 0; op < rows.size(); ++op)
      enqueued_bytes_.push_back(wrapping_sum(enqueued_bytes_.back(), bytes_of(op)));
  }

  // If fewer ops were in flight than the barrier allows, the engine had not learned of the ends of some: of
  // the op whose end ended the hold, and of those that ended last before the hold. Nor did it learn during
  // the hold of what ended then.
  void add(const BarrierHold& hold) {
    const Timestamp begin = hold.time.begin, end = hold.time.end;
    const auto after =
        std::ranges::upper_bound(order_, begin, {}, [&](OpIndex op) { return rows_[op].ended; });
    const auto count = static_cast<std::size_t>(after - order_.begin());  // so many had ended
    Room room = room_for(hold.op, count);
    if (!room.is_left()) return;
    const bool late = hold.released_by != kNone && rows_[hold.released_by].ended <= begin;
    if (late) learned_at(hold.released_by, end, room);
    for (std::size_t i = 0; i < std::min(count, kMostUnknown) && room.is_left(); ++i) {
      const OpIndex op = order_[count - 1 - i];
      if (op != hold.released_by) learned_at(op, end, room);
    }
    for (std::size_t i = count; i < order_.size() && rows_[order_[i]].ended < end; ++i) {
      if (order_[i] != hold.released_by) learned_at(order_[i], end, room);
    }
  }

 private:
  // How much more the barrier would let be in flight.
  struct Room {
    bool limited = false;
    bool by_ops = false;
    std::int64_t left = 0;
    [[nodiscard]] bool is_left() const { return limited && left > (by_ops ? 0 : -1); }
  };

  [[nodiscard]] std::int64_t bytes_of(OpIndex op) const { return program_.ops[op].output_bytes; }

  // `ended`: so many ops had ended.
  [[nodiscard]] Room room_for(OpIndex op, std::size_t ended) const {
    const BarrierPolicy& barrier = program_.settings.recorded_barrier;
    if (barrier.kind == BarrierKind::kOps) {
      const auto in_flight = static_cast<std::int64_t>(op) - static_cast<std::int64_t>(ended);
      return {true, true, wrapping_difference(barrier.k, in_flight)};
    }
    if (barrier.kind != BarrierKind::kBytes) return {};
    const std::int64_t in_flight = wrapping_difference(enqueued_bytes_[op], ended_bytes_[ended]);
    return {true, false, wrapping_difference(barrier.k, wrapping_sum(in_flight, bytes_of(op)))};
  }

  // The engine did not learn of the end of the op before `at`. A worker says so at once.
  void learned_at(OpIndex index, Timestamp at, Room& room) {
    Op& op = program_.ops[index];
    if (program_.queues[op.queue].workers) return;
    op.learn_delay = std::max(op.learn_delay, bounded(at - rows_[index].ended));
    room.left = wrapping_difference(room.left, room.by_ops ? 1 : op.output_bytes);
  }

  const std::span<const trace::OpRow> rows_;
  Program& program_;
  std::vector<OpIndex> order_;
  std::vector<std::int64_t> ended_bytes_{0};     // index: of how many ops of order_
  std::vector<std::int64_t> enqueued_bytes_{0};  // index: of how many ops
};

}  // namespace

void find_learn_delays(std::span<const BarrierHold> holds, std::span<const trace::OpRow> rows,
                       Program& program) {
  if (holds.empty()) return;
  EndedOps ended(rows, program);
  for (const BarrierHold& hold : holds) ended.add(hold);
}

namespace {

bool is_late(const trace::OpRow& row) { return (row.flags & trace::kSliceLate) != 0; }

// Of each kind of op of which one was late: the median of the others. Missing: all were late.
std::map<OpKey, Duration> modelled_times(std::span<const trace::OpRow> rows, const Program& program) {
  std::map<OpKey, std::vector<Duration>> examples;
  for (OpIndex op = 0; op < rows.size(); ++op) {
    if (is_late(rows[op])) examples[key_of(program.ops[op])];
  }
  std::map<OpKey, Duration> out;
  if (examples.empty()) return out;
  for (OpIndex op = 0; op < rows.size(); ++op) {
    if (is_late(rows[op])) continue;
    if (const auto found = examples.find(key_of(program.ops[op])); found != examples.end())
      found->second.push_back(program.ops[op].duration);
  }
  for (const auto& [key, times] : examples) {
    if (!times.empty()) out[key] = median(times);
  }
  return out;
}

// `waits`: disjoint, sorted.
bool is_waiting(const std::vector<TimeRange>& waits, Timestamp at) {
  const auto wait = std::ranges::upper_bound(waits, at, {}, &TimeRange::end);
  return wait != waits.end() && wait->begin <= at;
}

// A simulated device takes memory of the system up to this long before an op counts it.
constexpr Duration kAhead = std::chrono::milliseconds(10);

// The most live memory of the program until the op ended, if the pool grew shortly before. 0: it did not, or
// is not known.
std::int64_t live_at_growth(const PoolCounters& pool, Timestamp begin, const trace::OpRow& row) {
  if (pool.live == nullptr || pool.reserved == nullptr) return 0;
  const std::optional<double> before = pool.reserved->value_at(row.started - kAhead);
  if (!before || pool.reserved->value_at(row.ended).value_or(0) <= *before) return 0;
  const auto live = pool.live->extremes({begin, row.ended + Duration(1)});
  constexpr double kMost = 1e15;  // only a damaged file has more
  return live && live->max >= 1 && live->max <= kMost ? static_cast<std::int64_t>(live->max) : 0;
}

}  // namespace

std::vector<PoolCounters> pools_of(const trace::Trace& trace, const Program& program) {
  std::vector<PoolCounters> out(program.queues.size());
  for (QueueIndex i = 0; i < out.size(); ++i) {
    const Queue& queue = program.queues[i];
    if (!queue.simulated) continue;
    out[i] = {counter_of(trace, trace::CounterRole::kLiveBytes, queue.device),
              counter_of(trace, trace::CounterRole::kReservedBytes, queue.device)};
  }
  return out;
}

void find_lateness(std::span<const trace::OpRow> rows, std::span<const std::vector<TimeRange>> waits,
                   std::span<const PoolCounters> pools, Timestamp begin, Program& program) {
  const std::map<OpKey, Duration> modelled = modelled_times(rows, program);
  if (modelled.empty()) return;
  for (OpIndex index = 0; index < rows.size(); ++index) {
    Op& op = program.ops[index];
    const auto found = is_late(rows[index]) ? modelled.find(key_of(op)) : modelled.end();
    if (found == modelled.end() || op.duration <= found->second) continue;
    const Timestamp should_end = rows[index].started + found->second;
    const auto waited = [&](const std::vector<TimeRange>& of_one) { return is_waiting(of_one, should_end); };
    op.late_live_bytes = live_at_growth(pools[op.queue], begin, rows[index]);
    if (op.late_live_bytes == 0 && std::ranges::all_of(waits, waited)) continue;
    op.lateness = op.duration - found->second;
    op.duration = found->second;
  }
}

}  // namespace runahead::predict
