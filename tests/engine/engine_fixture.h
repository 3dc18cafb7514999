// The tests of the engine share these helpers: short calls to the engine, a door at which ops wait, and a
// seed for random numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/record/hooks/site.h"
#include "tests/host_cuda/host_cuda.h"

namespace runahead::engine::test {

inline const record::Site kWait{"wait_to_read", trace::SliceKind::kWait};
inline const record::Site kWaitAll{"waitall", trace::SliceKind::kWait};

// Ops wait at the door until a test opens it. Therefore the test decides when these ops end.
class Door {
 public:
  void open() { promise_.set_value(); }
  void wait() const { future_.wait(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future().share()};
};

struct OpOptions {
  std::int64_t priority = 0;
  std::int64_t output_bytes = 0;
  StreamKind stream = StreamKind::kCompute;
  Cost cost{};
};

// An engine with one device, and short calls to enqueue ops by name.
class TestEngine {
 public:
  explicit TestEngine(EngineOptions options, std::string_view device_name = "cpu")
      : engine(Engine::create(options)), device(open(device_name)) {}

  Result<OpHandle> try_op(std::string_view name, std::vector<Var> reads, std::vector<Var> writes,
                          OpFunction function, const OpOptions& options = {}) {
    OpSpec spec;
    spec.site = &record::intern_site(name, trace::SliceKind::kExecute);
    spec.device = device;
    spec.stream = options.stream;
    spec.reads = reads;
    spec.writes = writes;
    spec.priority = options.priority;
    spec.output_bytes = options.output_bytes;
    spec.cost = options.cost;
    return engine->enqueue(spec, std::move(function));
  }
  OpHandle op(std::string_view name, std::vector<Var> reads, std::vector<Var> writes, OpFunction function,
              const OpOptions& options = {}) {
    Result<OpHandle> handle = try_op(name, std::move(reads), std::move(writes), std::move(function), options);
    EXPECT_TRUE(handle.ok()) << handle.error().message;
    return handle.ok() ? *handle : OpHandle{};
  }
  Var var(std::string_view name = {}) { return engine->new_var(name); }
  Status wait(const Var& var) { return engine->wait_to_read(var, kWait); }
  Status wait_all() { return engine->wait_all(kWaitAll); }

  // Opens a device. CUDA devices are simulated on the host.
  Device* open(std::string_view name) const {
    runahead::host_cuda::use_host_cuda();
    return engine->device(name).value();
  }

  std::unique_ptr<Engine> engine;
  Device* device;
};

inline std::string message_of(const Status& status) { return status.ok() ? "" : status.error().message; }

// Tests that use the seed print it. To repeat a run, set RUNAHEAD_TEST_SEED to the printed value.
inline std::uint64_t test_seed() {
  if (const char* said = std::getenv("RUNAHEAD_TEST_SEED")) return std::strtoull(said, nullptr, 10);
  return std::random_device{}();
}

}  // namespace runahead::engine::test
