// Tests random programs: every engine gives the same values, versions and failures as serial execution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>

#include "engine/device/device_registry.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

struct Step {
  enum Kind { kOp, kFail, kWaitVar, kWaitAll } kind = kOp;
  std::vector<int> reads, writes;
  int device = 0;
  std::uint64_t salt = 0;
};
struct Program {
  int vars = 0;
  std::vector<Step> steps;
};
// The outcome of a program: the values and versions of its Vars, the failures that its waits reported, and
// the numbers of failed and skipped ops.
struct Outcome {
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> versions;
  std::vector<std::string> told;
  std::int64_t failed = 0, skipped = 0;
  bool operator==(const Outcome&) const = default;
};

Program random_program(std::mt19937_64& random, int steps, bool failures) {
  Program program;
  program.vars = 1 + static_cast<int>(random() % 40);
  for (int i = 0; i < steps; ++i) {
    Step step;
    step.salt = random();
    step.device = static_cast<int>(random() % 2);
    const auto roll = random() % 1000;
    step.kind = roll < 5                ? Step::kWaitVar
                : roll < 7              ? Step::kWaitAll
                : roll < 12 && failures ? Step::kFail
                                        : Step::kOp;
    std::vector<int> order(static_cast<std::size_t>(program.vars));
    for (int v = 0; v < program.vars; ++v) order[static_cast<std::size_t>(v)] = v;
    std::shuffle(order.begin(), order.end(), random);
    const std::size_t reads = random() % 4, writes = random() % 3;
    for (std::size_t v = 0; v < order.size() && v < reads + writes; ++v) {
      (v < reads ? step.reads : step.writes).push_back(order[v]);
    }
    if (step.kind == Step::kWaitVar) step.reads = {order[0]};
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdull;
}

void compute(const Step& step, std::vector<std::uint64_t>& values) {
  std::uint64_t hash = step.salt;
  for (const int r : step.reads) hash = mix(hash, values[static_cast<std::size_t>(r)]);
  for (const int w : step.writes)
    values[static_cast<std::size_t>(w)] = mix(values[static_cast<std::size_t>(w)], hash);
}

// The reference applies the rules of engine.h without an engine, one op after the other.
class Serial {
 public:
  explicit Serial(const Program& program)
      : program_(program), poison_(static_cast<std::size_t>(program.vars)) {
    out_.values.assign(poison_.size(), 0);
    out_.versions.assign(poison_.size(), 0);
  }
  Outcome run() {
    for (const Step& step : program_.steps) {
      if (step.kind == Step::kWaitVar) {
        tell(poison_[static_cast<std::size_t>(step.reads[0])]);
      } else if (step.kind == Step::kWaitAll) {
        tell_all();
      } else {
        execute(step);
      }
    }
    tell_all();
    return out_;
  }

 private:
  struct Bad {
    std::size_t origin;
    std::string message;
    bool told = false;
  };
  using BadPtr = std::shared_ptr<Bad>;

  void tell(const BadPtr& bad) {
    out_.told.push_back(bad && !bad->told ? bad->message : "");
    if (bad) bad->told = true;
  }
  void tell_all() {
    std::string message;
    int more = -1;
    for (const BadPtr& bad : all_) {
      if (bad->told) continue;
      if (++more == 0) message = bad->message;
      bad->told = true;
    }
    if (more > 0)
      message += " (and " + std::to_string(more) + (more == 1 ? " more failure)" : " more failures)");
    out_.told.push_back(message);
  }
  BadPtr fail(std::string message) {
    return all_.emplace_back(std::make_shared<Bad>(Bad{number_, std::move(message)}));
  }
  void execute(const Step& step) {
    ++number_;
    const std::string op = "op 'op' #" + std::to_string(number_);
    BadPtr inherited;
    const auto better = [](const BadPtr& a, const BadPtr& b) {
      return !b || std::pair(a->told, a->origin) < std::pair(b->told, b->origin);
    };
    for (const int r : step.reads) {
      const BadPtr& bad = poison_[static_cast<std::size_t>(r)];
      if (bad && better(bad, inherited)) inherited = bad;
    }
    for (const int w : step.writes) {
      const BadPtr& bad = poison_[static_cast<std::size_t>(w)];
      if (bad && !bad->told && better(bad, inherited)) inherited = bad;
    }
    BadPtr result;
    if (inherited) {
      ++out_.skipped;
      result = inherited->told ? fail(op + " was skipped: it reads the output of an op that failed before (" +
                                      inherited->message + ")")
                               : inherited;
    } else if (step.kind == Step::kFail) {
      ++out_.failed;
      result = fail(op + " failed: boom");
    } else {
      compute(step, out_.values);
    }
    for (const int w : step.writes) {
      poison_[static_cast<std::size_t>(w)] = result;
      ++out_.versions[static_cast<std::size_t>(w)];
    }
  }

  const Program& program_;
  std::vector<BadPtr> poison_;  // for each Var: the failure that ops inherit from this Var
  std::vector<BadPtr> all_;
  std::size_t number_ = 0;
  Outcome out_;
};

Outcome run_on(const Program& program, EngineOptions options, const std::vector<std::string>& devices) {
  TestEngine e(options, devices[0]);
  std::vector<Device*> opened;
  for (const std::string& name : devices) opened.push_back(e.open(name));
  std::vector<Var> vars;
  Outcome out;
  out.values.assign(static_cast<std::size_t>(program.vars), 0);
  for (int v = 0; v < program.vars; ++v) vars.push_back(e.var("v" + std::to_string(v)));
  for (const Step& step : program.steps) {
    if (step.kind == Step::kWaitVar) {
      out.told.push_back(message_of(e.wait(vars[static_cast<std::size_t>(step.reads[0])])));
      continue;
    }
    if (step.kind == Step::kWaitAll) {
      out.told.push_back(message_of(e.wait_all()));
      continue;
    }
    std::vector<Var> reads, writes;
    for (const int r : step.reads) reads.push_back(vars[static_cast<std::size_t>(r)]);
    for (const int w : step.writes) writes.push_back(vars[static_cast<std::size_t>(w)]);
    e.device = opened[static_cast<std::size_t>(step.device) % opened.size()];
    // An op joins the open bulk only if its device, stream and priority are those of the bulk. Most ops here
    // have the same stream and priority, so that bulks become large.
    const bool plain = options.bulk > 1 && step.salt % 8 != 0;
    const OpOptions how{
        .priority = plain ? 0 : static_cast<std::int64_t>(step.salt % 3),
        .stream = plain ? StreamKind::kCompute : static_cast<StreamKind>(step.salt % kStreamKindCount)};
    e.op(
        "op", reads, writes,
        [&step, &out](OpContext&) {
          if (step.kind == Step::kFail) throw std::runtime_error("boom");
          compute(step, out.values);
        },
        how);
  }
  out.told.push_back(message_of(e.wait_all()));
  for (const Var& var : vars) out.versions.push_back(e.engine->version(var));
  const EngineStats stats = e.engine->stats();
  out.failed = stats.ops_failed;
  out.skipped = stats.ops_skipped;
  EXPECT_EQ(stats.ops_enqueued, stats.ops_finished);
  EXPECT_EQ(stats.in_flight_bytes, 0);
  return out;
}

void expect_equal(const Program& program, const Outcome& serial, EngineOptions options,
                  const std::vector<std::string>& devices, const std::string& what) {
  const Outcome got = run_on(program, options, devices);
  EXPECT_EQ(got.values, serial.values) << what;
  EXPECT_EQ(got.versions, serial.versions) << what;
  EXPECT_EQ(got.told, serial.told) << what;
  EXPECT_EQ(got.failed, serial.failed) << what;
  EXPECT_EQ(got.skipped, serial.skipped) << what;
}

void expect_all_equal(const Program& program, const std::vector<std::string>& devices) {
  const Outcome serial = Serial(program).run();
  expect_equal(program, serial, {.kind = EngineKind::kNaive}, devices, "naive");
  const bool failures =
      std::ranges::any_of(program.steps, [](const Step& s) { return s.kind == Step::kFail; });
  // If one op of a bulk fails, all ops of the bulk fail. The result would then differ from serial execution.
  // Therefore a program with failures does not run with bulks.
  if (!failures) {
    expect_equal(program, serial, {.cpu_workers = 2, .bulk = 5}, devices, "bulks");
  }
  for (const ReadyOrder order : {ReadyOrder::kFifo, ReadyOrder::kOldest}) {
    for (const int workers : {1, 2, 4}) {
      const std::string what =
          std::string(order == ReadyOrder::kFifo ? "fifo " : "oldest ") + std::to_string(workers);
      expect_equal(program, serial, {.cpu_workers = workers, .order = order}, devices, what);
    }
  }
}

TEST(RandomPrograms, EveryEngineGivesWhatSerialExecutionGives) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 30; ++i) expect_all_equal(random_program(random, 400, i % 2 == 1), {"cpu"});
}

TEST(RandomPrograms, ALongProgramGivesWhatSerialExecutionGives) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  expect_all_equal(random_program(random, 10'000, false), {"cpu"});
  expect_all_equal(random_program(random, 10'000, true), {"cpu"});
}

TEST(RandomPrograms, CpuAndVirtualDevicesTogetherGiveWhatSerialExecutionGives) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4; ++i) expect_all_equal(random_program(random, 500, i % 2 == 1), {"cpu", "virtual:0"});
  expect_all_equal(random_program(random, 500, true), {"virtual:0", "virtual:1"});
}

TEST(RandomPrograms, CpuAndCudaDevicesTogetherGiveWhatSerialExecutionGives) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4; ++i) expect_all_equal(random_program(random, 500, i % 2 == 1), {"cpu", "cuda:0"});
  if (Engine::create({})->device("cuda:1").ok())  // a real machine may have one GPU
    expect_all_equal(random_program(random, 500, true), {"cuda:0", "cuda:1"});
}

TEST(RandomPrograms, CpuAndOpenClDevicesTogetherGiveWhatSerialExecutionGives) {
  if (const Status here = check_device("opencl:0"); !here.ok()) GTEST_SKIP() << here.error().message;
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4; ++i) expect_all_equal(random_program(random, 500, i % 2 == 1), {"cpu", "opencl:0"});
  if (check_device("opencl:1").ok())
    expect_all_equal(random_program(random, 500, true), {"opencl:0", "opencl:1"});
}

}  // namespace
}  // namespace runahead::engine::test
