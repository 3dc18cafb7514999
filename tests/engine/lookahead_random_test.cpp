// Tests random programs on a virtual device, with and without lookahead (the device computes values before
// their modelled time). A simulation without threads computes when each op starts and ends. The device must
// report exactly these times, to the nanosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "engine/device/virtual_device.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kStart = 1'000'000;
constexpr std::size_t kRandomOps = 60;

struct PlannedOp {
  std::vector<int> reads, writes;
  StreamKind stream = StreamKind::kCompute;
  Cost cost;
  std::int64_t priority = 0;
};
struct Times {
  std::uint64_t start = 0, end = 0;
  bool operator==(const Times&) const = default;
};

// The first op writes all Vars, so all other ops depend on it. It ends only after all ops are enqueued.
// Therefore no other op is ready before that. Costs are random numbers of ns, so that hardly any two ops end
// at the same time.
std::vector<PlannedOp> random_plan(std::mt19937_64& random, int vars) {
  std::vector<PlannedOp> plan(kRandomOps);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    PlannedOp& op = plan[i];
    op.stream = static_cast<StreamKind>(random() % kStreamKindCount);
    op.priority = static_cast<std::int64_t>(random() % 3);
    const auto size = static_cast<double>(1000 + random() % 100'000);
    op.cost = {.flops = size, .copy_bytes = size};
    for (int v = 0; v < vars; ++v) {
      const auto roll = random() % static_cast<std::uint64_t>(vars);
      if (i == 0 || roll == 0) {
        op.writes.push_back(v);
      } else if (roll <= 2) {
        op.reads.push_back(v);
      }
    }
    if (i > 0 && op.reads.empty() && op.writes.empty()) op.reads.push_back(0);
  }
  return plan;
}

std::vector<std::vector<std::size_t>> successors_of(const std::vector<PlannedOp>& plan, int vars) {
  std::vector<std::set<std::size_t>> follow(plan.size());
  std::vector<std::optional<std::size_t>> writer(static_cast<std::size_t>(vars));
  std::vector<std::vector<std::size_t>> readers(static_cast<std::size_t>(vars));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    for (const int r : plan[i].reads) {
      if (const auto& before = writer[static_cast<std::size_t>(r)]) follow[*before].insert(i);
      readers[static_cast<std::size_t>(r)].push_back(i);
    }
    for (const int w : plan[i].writes) {
      auto& before = writer[static_cast<std::size_t>(w)];
      if (before) follow[*before].insert(i);
      for (const std::size_t reader : readers[static_cast<std::size_t>(w)]) follow[reader].insert(i);
      readers[static_cast<std::size_t>(w)].clear();
      before = i;
    }
  }
  std::vector<std::vector<std::size_t>> lists;
  for (const auto& set : follow) lists.emplace_back(set.begin(), set.end());
  return lists;
}

// An event simulation. Whenever an op ends, the simulation queues the successors that became ready. Each idle
// stream then takes its next op.
std::vector<Times> simulate(const std::vector<PlannedOp>& plan, int vars, ReadyOrder order) {
  const auto successors = successors_of(plan, vars);
  std::vector<int> pending(plan.size(), 0);
  for (const auto& list : successors) {
    for (const std::size_t next : list) ++pending[next];
  }
  struct Queued {
    std::int64_t negative_priority;
    std::size_t rank, op;
    auto operator<=>(const Queued&) const = default;
  };
  std::array<std::set<Queued>, kStreamKindCount> queues;
  std::array<std::optional<std::size_t>, kStreamKindCount> running;
  std::vector<Times> times(plan.size());
  std::size_t pushed = 0;
  const auto push = [&](std::size_t op) {
    const std::size_t rank = order == ReadyOrder::kOldest ? op : pushed++;
    queues[static_cast<std::size_t>(plan[op].stream)].insert({-plan[op].priority, rank, op});
  };
  push(0);
  for (std::uint64_t now = kStart;;) {
    for (std::size_t s = 0; s < running.size(); ++s) {
      if (running[s] || queues[s].empty()) continue;
      const std::size_t op = queues[s].extract(queues[s].begin()).value().op;
      const Duration takes = modelled_duration(VirtualModel{}, plan[op].stream, plan[op].cost);
      times[op] = {now, now + static_cast<std::uint64_t>(takes.count())};
      running[s] = op;
    }
    std::optional<std::size_t>* first = nullptr;
    for (auto& op : running) {
      if (op && (first == nullptr || times[*op].end < times[**first].end)) first = &op;
    }
    if (first == nullptr) return times;
    now = times[**first].end;
    for (const std::size_t next : successors[**first]) {
      if (--pending[next] == 0) push(next);
    }
    first->reset();
  }
}

// The ops whose values are computed.
class Computed {
 public:
  void add(std::size_t op) {
    const std::lock_guard lock(mutex_);
    ops_.insert(op);
    changed_.notify_all();
  }
  void wait_for(const std::set<std::size_t>& ops) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::includes(ops_, ops); });
  }
  [[nodiscard]] std::set<std::size_t> ops() {
    const std::lock_guard lock(mutex_);
    return ops_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::size_t> ops_;
};

// A virtual device that records the times of its ops and compares reported times with the clock.
class Noting final : public Device {
 public:
  Noting(std::shared_ptr<ManualClock> clock, bool starts_on_time, std::size_t capacity_bytes)
      : starts_on_time_(starts_on_time),
        clock_(clock),
        device_(make_virtual_device("virtual:0", VirtualModel{.capacity_bytes = capacity_bytes}, clock)) {}

  const std::string& name() const override { return device_->name(); }
  bool simulated() const override { return true; }
  MemoryPool& pool() override { return device_->pool(); }
  std::uint64_t now_ticks() const override { return device_->now_ticks(); }
  std::uint64_t lookahead_ticks() const override { return device_->lookahead_ticks(); }
  bool starts_on_time() const override { return starts_on_time_; }
  void call_at(std::uint64_t ticks, std::function<void()> call) override {
    device_->call_at(ticks, std::move(call));
  }
  std::uint64_t modelled_ticks(StreamKind stream, const Cost& cost) const override {
    return device_->modelled_ticks(stream, cost);
  }
  void submit(StreamKind stream, Work work) override {
    const std::size_t op = op_number(work.op) - 1;
    work.started = [this, op, started = std::move(work.started)](std::uint64_t start) {
      if (started) started(start);
      EXPECT_GE(clock_->now_ticks(), start);
      EXPECT_LE(last_, start) << "started before an earlier end was reported";
      started_[op] = start;
    };
    work.computed = [this, op, computed_of_engine = std::move(work.computed)](
                        std::uint64_t start, std::uint64_t end, std::uint8_t flags) {
      computed_of_engine(start, end, flags);
      computed.add(op);
    };
    work.done = [this, op, done = std::move(work.done)](std::uint64_t start, std::uint64_t end,
                                                        std::uint8_t flags) {
      EXPECT_GE(clock_->now_ticks(), end);
      EXPECT_EQ(started_[op], start);
      EXPECT_LE(last_, end) << "ends are reported in their order";
      last_ = end;
      times[op] = {start, end};
      done(start, end, flags);
    };
    device_->submit(stream, std::move(work));
  }
  std::string description() const override { return device_->description(); }
  std::uint64_t late_ops() const override { return device_->late_ops(); }

  Computed computed;
  // written by the device's clock thread; read after all ops have ended
  std::vector<Times> times = std::vector<Times>(kRandomOps);

 private:
  const bool starts_on_time_;
  const std::shared_ptr<ManualClock> clock_;
  // used only by the device's clock thread
  std::vector<std::uint64_t> started_ = std::vector<std::uint64_t>(kRandomOps);
  std::uint64_t last_ = 0;  // used only by the device's clock thread
  std::unique_ptr<Device> device_;
};

// How a device runs a program: with lookahead if ops allocate when they are enqueued; if they allocate when
// they run, with lookahead only if the device starts on time.
struct Way {
  AllocationTime allocation;
  bool starts_on_time;
  bool is_tight;  // the device has hardly more memory than the program needs
  const char* name;
  [[nodiscard]] bool looks_ahead() const {
    return (allocation == AllocationTime::kAtEnqueue || starts_on_time) && !is_tight;
  }
};
constexpr std::array<Way, 4> kWays{
    Way{AllocationTime::kAtEnqueue, true, false, "memory at enqueue, ahead"},
    Way{AllocationTime::kAtExecution, true, false, "memory at execution, ahead"},
    Way{AllocationTime::kAtExecution, true, true, "memory at execution, ahead within half of it"},
    Way{AllocationTime::kAtExecution, false, true, "memory at execution, not ahead"},
};

constexpr std::size_t bytes_of(std::size_t op) { return 64 * (op + 1); }

// The most bytes that ops have at once, if each has its memory from its start to its end. An end comes before
// a start at the same time.
std::size_t peak_of(const std::vector<Times>& times) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> changes;
  for (std::size_t op = 0; op < times.size(); ++op) {
    const auto bytes = static_cast<std::int64_t>(bytes_of(op));
    changes.insert(changes.end(), {{times[op].start, bytes}, {times[op].end, -bytes}});
  }
  std::ranges::sort(changes);
  std::int64_t live = 0, peak = 0;
  for (const auto& [at, bytes] : changes) peak = std::max(peak, live += bytes);
  return static_cast<std::size_t>(peak);
}

std::set<std::size_t> started_by(const std::vector<Times>& times, std::uint64_t now) {
  std::set<std::size_t> ops;
  for (std::size_t op = 0; op < times.size(); ++op) {
    if (times[op].start <= now) ops.insert(op);
  }
  return ops;
}

std::vector<Times> run(const std::vector<PlannedOp>& plan, int vars, ReadyOrder order, const Way& way,
                       const std::vector<Times>& expected) {
  const EngineOptions options{.order = order, .allocation = way.allocation};
  const auto clock = std::make_shared<ManualClock>(kStart);
  TestEngine e(options);
  // A block takes up to an eighth more than its size.
  const std::size_t capacity = way.is_tight ? peak_of(expected) * 9 / 8 : std::size_t{8} << 30;
  auto made = std::make_unique<Noting>(clock, way.starts_on_time, capacity);
  Noting& device = *made;
  e.device = e.engine->add_device(std::move(made));
  Door enqueued;
  std::vector<Var> all;
  for (int v = 0; v < vars; ++v) all.push_back(e.var());
  for (const PlannedOp& op : plan) {
    std::vector<Var> reads, writes;
    for (const int r : op.reads) reads.push_back(all[static_cast<std::size_t>(r)]);
    for (const int w : op.writes) writes.push_back(all[static_cast<std::size_t>(w)]);
    const auto number = static_cast<std::size_t>(&op - plan.data());
    e.op("op", reads, writes,
         [&, number, block = std::make_unique<Block>()](OpContext& context) {
           EXPECT_TRUE(context.allocate(device.pool(), bytes_of(number), {}, *block).ok());
           if (number == 0) enqueued.wait();
         },
         {.priority = op.priority, .stream = op.stream, .cost = op.cost});
  }
  enqueued.open();
  std::set<std::uint64_t> ends;
  for (const Times& op : expected) ends.insert(op.end);
  if (way.looks_ahead()) {
    // the device computes all ops before the clock advances
    device.computed.wait_for(started_by(expected, UINT64_MAX));
    EXPECT_EQ(clock->now_ticks(), kStart);
    EXPECT_EQ(e.engine->stats().ops_finished, 0);
  }
  for (const std::uint64_t end : ends) {
    if (!way.looks_ahead()) {
      const std::set<std::size_t> started = started_by(expected, clock->now_ticks());
      device.computed.wait_for(started);
      if (!way.starts_on_time) {
        EXPECT_EQ(device.computed.ops(), started) << "an op is computed before its modelled start";
      }
    }
    clock->advance(Duration(static_cast<std::int64_t>(end - clock->now_ticks())));
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->stats().late_ops, 0);
  if (way.allocation == AllocationTime::kAtExecution) {
    EXPECT_EQ(device.pool().stats().peak_bytes, peak_of(expected)) << way.name;
  }
  return device.times;
}

TEST(LookaheadPrograms, StartAndEndAsTheModelSaysWithLookaheadAndWithout) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 40; ++i) {
    const int vars = 3 + static_cast<int>(random() % 12);
    const std::vector<PlannedOp> plan = random_plan(random, vars);
    for (const ReadyOrder order : {ReadyOrder::kFifo, ReadyOrder::kOldest}) {
      const std::vector<Times> expected = simulate(plan, vars, order);
      for (const Way& way : kWays) {
        const std::vector<Times> got = run(plan, vars, order, way, expected);
        for (std::size_t op = 0; op < kRandomOps; ++op) {
          ASSERT_EQ(got[op], expected[op])
              << "program " << i << " op " << op << (order == ReadyOrder::kFifo ? " fifo" : " oldest") << ", "
              << way.name << ": " << got[op].start << ".." << got[op].end << ", expected "
              << expected[op].start << ".." << expected[op].end;
        }
      }
    }
  }
}

}  // namespace
}  // namespace runahead::engine::test
