#include "instrumentation/predict/new_memory.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {
namespace {

// No pool of a host is larger (1 PiB). Only a damaged file has a larger block, and sums must not overflow.
constexpr std::int64_t kLargestBlock = std::int64_t{1} << 50;

// When the counter rose, within the range.
std::vector<Timestamp> rises_of(const trace::CounterSeries& counter, TimeRange range) {
  std::vector<Timestamp> out;
  double before = counter.value_at(range.begin).value_or(0);
  for (std::uint64_t row = counter.first_row_from(range.begin); row < counter.end_row(); ++row) {
    const trace::CounterSample sample = counter.sample(row);
    if (sample.at > range.end) break;
    if (sample.value > before) out.push_back(sample.at);
    before = sample.value;
  }
  return out;
}

bool is_of_cpu(const Program& program, const Memory& memory) {
  return std::ranges::any_of(program.queues, [&](const Queue& queue) {
    return queue.workers && !queue.simulated && queue.device == memory.device;
  });
}

// The pool of one device.
class PoolReader {
 public:
  PoolReader(std::uint32_t device, TimeRange range, std::span<const TimeRange> lives, Program& program)
      : device_(device), range_(range), lives_(lives), program_(program) {}
  void read(const trace::CounterSeries& reserved);

 private:
  void find_classes(const std::vector<Timestamp>& rises);
  void count_free_blocks();
  void find_spare(const trace::CounterSeries& reserved);
  [[nodiscard]] bool is_ours(const Block& block) const {
    return block.device == device_ && block.size_bytes >= 0 && block.size_bytes <= kLargestBlock;
  }

  const std::uint32_t device_;
  const TimeRange range_;
  const std::span<const TimeRange> lives_;
  Program& program_;
};

void PoolReader::read(const trace::CounterSeries& reserved) {
  find_classes(rises_of(reserved, range_));
  count_free_blocks();
  find_spare(reserved);
}

void PoolReader::find_classes(const std::vector<Timestamp>& rises) {
  std::map<std::int64_t, std::uint32_t> classes;
  for (BlockIndex i = 0; i < program_.blocks.size(); ++i) {
    Block& block = program_.blocks[i];
    if (!is_ours(block)) continue;
    const std::int64_t bytes = pool_class_bytes(block.size_bytes);
    const auto [found, added] =
        classes.emplace(bytes, static_cast<std::uint32_t>(program_.pool_classes.size()));
    if (added) program_.pool_classes.push_back({.device = device_, .size_bytes = bytes});
    block.pool_class = found->second;
    block.is_new = !block.began_before && std::ranges::binary_search(rises, lives_[i].begin);
    if (block.is_new) program_.pool_classes[block.pool_class].uses_spare = false;
  }
}

// A class has as many free blocks at the begin as the recorded blocks that are not new lack.
void PoolReader::count_free_blocks() {
  struct Taken {
    Timestamp at;
    int free;  // 1: a block becomes free; -1: a free block is taken
    std::uint32_t pool_class;
  };
  std::vector<Taken> changes;
  for (BlockIndex i = 0; i < program_.blocks.size(); ++i) {
    const Block& block = program_.blocks[i];
    if (!is_ours(block)) continue;
    if (!block.began_before && !block.is_new) changes.push_back({lives_[i].begin, -1, block.pool_class});
    if (lives_[i].end <= range_.end) changes.push_back({lives_[i].end, 1, block.pool_class});
  }
  std::ranges::sort(
      changes, [](const Taken& a, const Taken& b) { return a.at != b.at ? a.at < b.at : a.free > b.free; });
  std::vector<std::int64_t> free(program_.pool_classes.size());
  for (const Taken& change : changes) {
    std::int64_t& blocks = free[change.pool_class];
    blocks += change.free;
    std::int64_t& first = program_.pool_classes[change.pool_class].free_blocks;
    first = std::max(first, -blocks);
  }
}

// The rest of what the pool had reserved and that no memory of the recording explains. Samples touch memory
// before their steps so that no op has to wait for it.
void PoolReader::find_spare(const trace::CounterSeries& reserved) {
  const auto most = reserved.extremes(range_);
  if (!most || !(most->max >= 0 && most->max <= static_cast<double>(kLargestBlock))) return;
  auto spare = static_cast<std::int64_t>(most->max);
  std::int64_t unknown = program_.memories[device_].begin_bytes;  // live at the begin, and no block of it
  for (const Block& block : program_.blocks) {
    if (!is_ours(block) || !(block.is_new || block.began_before)) continue;
    spare = wrapping_difference(spare, program_.pool_classes[block.pool_class].size_bytes);
    if (block.began_before) unknown = wrapping_difference(unknown, block.size_bytes);
  }
  spare = wrapping_difference(spare, std::max<std::int64_t>(unknown, 0));
  for (const PoolClass& one : program_.pool_classes) {
    if (one.device == device_)
      spare -= std::clamp<std::int64_t>(spare / one.size_bytes, 0, one.free_blocks) * one.size_bytes;
  }
  program_.memories[device_].spare_bytes = std::max<std::int64_t>(spare, 0);
}

}  // namespace

const trace::CounterSeries* counter_of(const trace::Trace& trace, trace::CounterRole role,
                                       std::string_view device) {
  const auto found = std::ranges::find_if(trace.tracks(), [&](const trace::Track& track) {
    return track.info.role == role && track.info.device == device && !track.counter.empty();
  });
  return found == trace.tracks().end() ? nullptr : &found->counter;
}

std::int64_t pool_class_bytes(std::int64_t size_bytes) {
  constexpr std::uint64_t kAlign = 64;
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(size_bytes, 1));
  const std::uint64_t step = std::max(kAlign, std::bit_floor(size) / 8);
  return static_cast<std::int64_t>((size + step - 1) / step * step);
}

void find_new_blocks(const trace::Trace& trace, TimeRange range, std::span<const TimeRange> lives,
                     Program& program) {
  for (std::uint32_t device = 0; device < program.memories.size(); ++device) {
    if (!is_of_cpu(program, program.memories[device])) continue;
    const trace::CounterSeries* const reserved =
        counter_of(trace, trace::CounterRole::kReservedBytes, program.memories[device].device);
    if (reserved != nullptr) PoolReader(device, range, lives, program).read(*reserved);
  }
}

// ---- times ------------------------------------------------------------------------------------------------

namespace {

// Fewer ops that are alike say nothing about their usual time.
constexpr std::size_t kLeastWithoutNew = 8;

struct NewMemoryOps {
  std::vector<OpIndex> with;      // new memory
  std::vector<Duration> without;  // the times of the others
};

Duration own_time(const Op& op) { return bounded(op.duration - op.wake_time); }

std::int64_t new_bytes_of(const Program& program, OpIndex op) {
  std::int64_t sum = 0;
  for (const BlockIndex block : program.allocates.of(op)) {
    if (program.blocks[block].is_new) sum = wrapping_sum(sum, program.blocks[block].size_bytes);
  }
  return sum;
}

std::map<OpKey, NewMemoryOps> ops_by_memory(const Program& program) {
  std::map<OpKey, NewMemoryOps> out;
  for (OpIndex i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const Queue& queue = program.queues[op.queue];
    if (!queue.workers || queue.simulated) continue;
    NewMemoryOps& ops = out[key_of(op)];
    if (new_bytes_of(program, i) > 0) {
      ops.with.push_back(i);
    } else {
      ops.without.push_back(own_time(op));
    }
  }
  std::erase_if(out, [](const auto& alike) { return alike.second.with.empty(); });
  for (auto& [key, ops] : out) {
    std::ranges::sort(ops.without);
    std::ranges::sort(ops.with, {}, [&](OpIndex op) { return std::pair(own_time(program.ops[op]), op); });
  }
  return out;
}

// What the ops of a queue show about its new memory.
struct Learned {
  double ns = 0, bytes = 0;
  [[nodiscard]] double ns_per_byte() const {
    return (ns + kUsualNewNsPerByte * kUsualNewBytes) / (bytes + kUsualNewBytes);
  }
};

void learn_from_alike(const NewMemoryOps& ops, Program& program, Learned& learned) {
  for (std::size_t i = 0; i < ops.with.size(); ++i) {
    Op& op = program.ops[ops.with[i]];
    const Duration usual = ops.without[(2 * i + 1) * ops.without.size() / (2 * ops.with.size())];
    op.new_time = bounded(own_time(op) - usual);
    learned.ns += static_cast<double>(op.new_time.count());
    learned.bytes += static_cast<double>(new_bytes_of(program, ops.with[i]));
  }
}

void use_usual_rate(const NewMemoryOps& ops, Program& program) {
  Duration least = own_time(program.ops[ops.with.front()]);
  if (!ops.without.empty()) least = std::min(least, ops.without.front());
  for (const OpIndex i : ops.with) {
    Op& op = program.ops[i];
    const double ns_per_byte = program.queues[op.queue].new_ns_per_byte;
    const Duration usual = scaled(Duration(1), ns_per_byte * static_cast<double>(new_bytes_of(program, i)));
    op.new_time = std::min({usual, bounded(own_time(op) - least), own_time(op) / 2});
  }
}

}  // namespace

void find_new_memory_times(bool is_part, Program& program) {
  if (program.pool_classes.empty()) return;
  const std::map<OpKey, NewMemoryOps> all = ops_by_memory(program);
  std::vector<Learned> learned(program.queues.size());
  for (const auto& [key, ops] : all) {
    if (ops.without.size() >= kLeastWithoutNew)
      learn_from_alike(ops, program, learned[std::get<QueueIndex>(key)]);
  }
  for (QueueIndex i = 0; i < learned.size(); ++i) {
    Queue& queue = program.queues[i];
    if (queue.workers && !queue.simulated) queue.new_ns_per_byte = learned[i].ns_per_byte();
  }
  for (const auto& [key, ops] : all) {
    if (ops.without.size() < kLeastWithoutNew) use_usual_rate(ops, program);
  }
  if (!is_part) return;
  for (Queue& queue : program.queues) queue.new_ns_per_byte = 0;
}

}  // namespace runahead::predict
