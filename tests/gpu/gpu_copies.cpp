// Measures the rate of the engine's copies between the cpu and a device, one at a time, each followed by a
// wait. This is the rate that a program gets. Compare it with the rate that gpu_bandwidth measures.
// gpu_bandwidth prints the same keys in the same unit (bytes per second, medians).
//
//   gpu_copies [DEVICE] [MEBIBYTES] [REPETITIONS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/array/operators.h"
#include "instrumentation/base/median.h"

namespace {

using namespace runahead;
using engine::Array;
using engine::Context;
using engine::HostMemory;

constexpr record::Site kWait{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
// the first copies are slower, because they touch their memory for the first time
constexpr int kWarmUps = 3;

[[noreturn]] void end_with(const std::string& message) {
  std::fprintf(stderr, "gpu_copies: %s\n", message.c_str());
  std::exit(1);
}

void wait(engine::Engine& engine) {
  if (const Status done = engine.wait_all(kWait); !done.ok()) end_with(done.error().message);
}

Context open(engine::Engine& engine, const std::string& name) {
  const Result<engine::Device*> device = engine.device(name);
  if (!device.ok()) end_with(device.error().message);
  return {&engine, *device};
}

double median_rate(const Array& source, const Context& to, HostMemory memory, int repetitions) {
  std::vector<double> rates;
  for (int i = 0; i < kWarmUps + repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Array copy = engine::copy_to(source, to, memory);
    wait(*to.engine);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i >= kWarmUps) rates.push_back(static_cast<double>(source.size_bytes()) / took.count());
  }
  return median(std::move(rates));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "cuda:0";
  const std::int64_t bytes = (argc > 2 ? std::atol(argv[2]) : 64) << 20;
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 20;
  const std::unique_ptr<engine::Engine> engine = engine::Engine::create({});
  const Context host = open(*engine, "cpu"), device = open(*engine, name);
  const engine::Shape shape = {bytes / static_cast<std::int64_t>(sizeof(float))};
  const Array on_host = engine::ones(host, shape), on_device = engine::ones(device, shape);
  wait(*engine);
  const auto rate = [&](const Array& source, const Context& to, HostMemory memory) {
    return median_rate(source, to, memory, repetitions);
  };
  const double h2d_pinned = rate(on_host, device, HostMemory::kPinned);
  const double d2h_pinned = rate(on_device, host, HostMemory::kPinned);
  const double h2d_pageable = rate(on_host, device, HostMemory::kPageable);
  const double d2h_pageable = rate(on_device, host, HostMemory::kPageable);
  std::printf(
      "{\"h2d_pinned\": %.6e, \"d2h_pinned\": %.6e, \"h2d_pageable\": %.6e, \"d2h_pageable\": %.6e}\n",
      h2d_pinned, d2h_pinned, h2d_pageable, d2h_pageable);
  return 0;
}
