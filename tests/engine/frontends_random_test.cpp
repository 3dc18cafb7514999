// Tests several frontends that run random programs at the same time: ops on shared Vars, failures, waits of
// every kind, priorities, steps, bounds changed from outside, cancellation. In any order the following must
// be true: every op ends once; an op that writes Vars has exclusive access to these Vars; a frontend's writes
// to a Var take effect in the order of its enqueues; nothing hangs; no op stays in flight.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

// The data of a Var. `writes` and `last_of` are deliberately not atomic, because the engine must let only one
// op write at a time.
struct Cell {
  Var var;
  std::uint64_t writes = 0;
  // index: frontend; value: number of its last op
  std::array<std::int64_t, 8> last_of{-1, -1, -1, -1, -1, -1, -1, -1};
  std::atomic<int> writers{0}, readers{0};
};

struct Shared {
  explicit Shared(TestEngine& made) : engine(made), cells(12) {
    for (Cell& cell : cells) cell.var = made.var();
  }
  TestEngine& engine;
  std::vector<Device*> devices;
  std::vector<Cell> cells;
  std::atomic<std::int64_t> ran{0}, destroyed{0}, enqueued{0}, wrong{0};
};

// The function object of each op has a member of this type. This type counts the function objects that were
// destroyed, whether they ran or not.
class Counted {
 public:
  explicit Counted(Shared& shared) : shared_(&shared) {}
  Counted(Counted&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  ~Counted() {
    if (shared_ != nullptr) shared_->destroyed.fetch_add(1);
  }

 private:
  Shared* shared_;
};

class Frontend {
 public:
  Frontend(Shared& shared, int index, std::uint64_t seed)
      : shared_(shared), index_(index), random_(seed + static_cast<std::uint64_t>(index)) {}

  // If `bulks` is true, the frontend sometimes changes its bulk size, and most of its ops can join a bulk.
  void run(int ops, bool bulks) {
    bulks_ = bulks;
    for (int i = 0; i < ops; ++i) {
      if (bulks && random_() % 30 == 0) shared_.engine.engine->set_bulk(static_cast<int>(random_() % 6));
      if (random_() % 40 == 0) wait();
      if (random_() % 20 == 0) shared_.engine.engine->begin_step(step_++);
      enqueue(i);
    }
    shared_.engine.engine->end_step();
  }

 private:
  void wait() {
    Engine& engine = *shared_.engine.engine;
    switch (random_() % 5) {
      case 0:
        return void(engine.wait_all(kWaitAll));
      case 1:
        return void(engine.wait_op(last_, kWait));
      case 2:
        engine.end_step();
        return void(engine.wait_step(step_ - 1, kWait));
      case 3:
        return void(engine.wait_in_flight(5, 0, kWait));
      default:
        return void(engine.wait_to_read(shared_.cells[random_() % shared_.cells.size()].var, kWait));
    }
  }
  void enqueue(std::int64_t order) {
    Cell& read = shared_.cells[random_() % shared_.cells.size()];
    Cell& written = shared_.cells[random_() % shared_.cells.size()];
    std::vector<Var> reads, writes{written.var};
    const bool reads_too = &read != &written && random_() % 2 == 0;
    if (reads_too) reads.push_back(read.var);
    const bool fails = random_() % 200 == 0;
    const bool plain = bulks_ && random_() % 8 != 0;
    OpSpec spec{
        .site = &kOp,
        .device = shared_.devices[plain ? 0 : random_() % shared_.devices.size()],
        .stream = plain ? StreamKind::kCompute : static_cast<StreamKind>(random_() % kStreamKindCount),
        .reads = reads,
        .writes = writes,
        .output_bytes = static_cast<std::int64_t>(random_() % 100),
        .priority = plain ? 0 : static_cast<std::int32_t>(random_() % 3) - 1};
    Result<OpHandle> op = shared_.engine.engine->enqueue(
        spec, [this, &written, from = reads_too ? &read : nullptr, order, fails,
               counted = Counted(shared_)](OpContext&) { body(written, from, order, fails); });
    ASSERT_TRUE(op.ok()) << op.error().message;
    shared_.enqueued.fetch_add(1);
    last_ = *op;
  }
  void body(Cell& written, Cell* from, std::int64_t order, bool fails) {
    shared_.ran.fetch_add(1);
    if (from != nullptr && (from->readers.fetch_add(1), from->writers.load() != 0))
      shared_.wrong.fetch_add(1);
    if (written.writers.fetch_add(1) != 0 || written.readers.load() != 0) shared_.wrong.fetch_add(1);
    std::int64_t& last = written.last_of[static_cast<std::size_t>(index_)];
    if (last >= order) shared_.wrong.fetch_add(1);
    last = order;
    ++written.writes;
    written.writers.fetch_sub(1);
    if (from != nullptr) from->readers.fetch_sub(1);
    if (fails) throw std::runtime_error("boom");
  }

  static inline const record::Site kOp{"op", trace::SliceKind::kExecute};
  Shared& shared_;
  const int index_;
  std::mt19937_64 random_;
  bool bulks_ = false;
  std::int64_t step_ = 0;
  OpHandle last_;
};

struct Kind {
  const char* name;
  EngineOptions options;
  bool bulks = false;
};

void run_once(const Kind& kind, int frontends, bool cancels, std::uint64_t seed) {
  SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(frontends) +
               " frontends, RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  TestEngine engine(kind.options);
  Shared shared(engine);
  for (const char* device : {"cpu", "virtual:0", "cuda:0"})
    shared.devices.push_back(engine.engine->device(device).value());
  std::deque<Frontend> all;  // the frontends live until their ops have ended
  std::vector<std::thread> threads;
  for (int i = 0; i < frontends; ++i) {
    threads.emplace_back(
        [bulks = kind.bulks, &frontend = all.emplace_back(shared, i, seed)] { frontend.run(400, bulks); });
  }
  std::atomic<bool> done{false};
  std::thread toggler([&] {
    for (std::mt19937_64 random(seed); !done.load();) {
      engine.engine->set_run_ahead_bound(static_cast<std::int64_t>(random() % 3) * 7,
                                         static_cast<std::int64_t>(random() % 3) * 200);
      (void)engine.engine->stats();
      if (cancels && random() % 50 == 0) engine.engine->cancel();
      std::this_thread::yield();
    }
    engine.engine->set_run_ahead_bound(0, 0);
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  toggler.join();
  (void)engine.wait_all();
  const EngineStats stats = engine.engine->stats();
  EXPECT_EQ(shared.wrong, 0);
  EXPECT_EQ(stats.ops_finished, stats.ops_enqueued);
  if (!kind.bulks) {
    EXPECT_EQ(stats.ops_enqueued, shared.enqueued);
    EXPECT_EQ(stats.ops_enqueued, shared.ran + stats.ops_skipped);
  } else {
    EXPECT_GT(stats.bulk_members, 0);
  }
  EXPECT_EQ(shared.destroyed, shared.enqueued);
  EXPECT_EQ(stats.in_flight_ops, 0);
  EXPECT_EQ(stats.in_flight_bytes, 0);
  EXPECT_EQ(stats.in_flight_steps, 0);
  std::uint64_t versions = 0;
  for (const Cell& cell : shared.cells) versions += engine.engine->version(cell.var);
  EXPECT_EQ(versions, static_cast<std::uint64_t>(shared.enqueued.load()));
}

TEST(ManyFrontends, RandomProgramsKeepTheirPromises) {
  const Kind kinds[] = {
      {"fifo, 1 worker", {.cpu_workers = 1}},
      {"waiters help", {.cpu_workers = 1, .cpu_copy_workers = 0, .waiter_helps = true}},
      {"fifo, 3 workers, no spin", {.cpu_workers = 3, .cpu_copy_workers = 2, .spin = Duration{0}}},
      {"oldest, 2 workers", {.cpu_workers = 2, .order = ReadyOrder::kOldest}},
      {"bulks, 1 worker", {.cpu_workers = 1}, true},
      {"bulks, 3 workers, held back", {.cpu_workers = 3, .limit_ops = 9, .spin = Duration{0}}, true},
      {"oldest, 1 worker, held back", {.order = ReadyOrder::kOldest, .limit_ops = 20}}};
  const std::uint64_t seed = test_seed();
  for (const Kind& kind : kinds) {
    for (const int frontends : {1, 2, 4, 8}) run_once(kind, frontends, false, seed);
    run_once(kind, 3, true, seed);
  }
}

}  // namespace
}  // namespace runahead::engine::test
