// The array tests run on every engine (naive and threaded) and on every device: cpu, the virtual GPU, CUDA
// simulated on the host, and opencl:0 if this machine has it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/device_registry.h"
#include "tests/host_cuda/host_cuda.h"

namespace runahead::engine {

struct Place {
  EngineKind kind;
  const char* device;
};
inline std::string name_of(const Place& place) {
  return std::string(place.kind == EngineKind::kNaive ? "naive" : "threaded") + "_" +
         std::string(place.device).substr(0, std::string(place.device).find(':'));
}
inline std::string name_of_place(const ::testing::TestParamInfo<Place>& info) { return name_of(info.param); }
inline void PrintTo(const Place& place, std::ostream* out) { *out << name_of(place); }
inline const std::vector<Place>& every_place() {
  static const std::vector<Place> places = [] {
    std::vector<const char*> devices{"cpu", "virtual:0", "cuda:0"};
    if (check_device("opencl:0").ok()) devices.push_back("opencl:0");
    std::vector<Place> made;
    for (const char* const device : devices) {
      made.push_back({EngineKind::kNaive, device});
      made.push_back({EngineKind::kThreaded, device});
    }
    return made;
  }();
  return places;
}

// An engine that has one open device in addition to the cpu.
struct OpenEngine {
  explicit OpenEngine(EngineOptions options, const char* device_name = "cpu")
      : engine(Engine::create(options)) {
    runahead::host_cuda::use_host_cuda();
    const Result<Device*> device = engine->device(device_name);
    EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().message);
    if (device.ok()) here = {engine.get(), *device};
    const Result<Device*> host = engine->device("cpu");
    EXPECT_TRUE(host.ok());
    if (host.ok()) cpu = {engine.get(), *host};
  }
  std::unique_ptr<Engine> engine;
  Context here, cpu;
};

class EveryEngine : public ::testing::TestWithParam<Place> {
 protected:
  OpenEngine open_{EngineOptions{.kind = GetParam().kind}, GetParam().device};
  const Context& here_ = open_.here;

  [[nodiscard]] Array array(const Shape& shape, const std::vector<float>& values) const {
    return from_host(here_, shape, values);
  }
  [[nodiscard]] static std::vector<float> read(const Array& a) {
    const Result<std::vector<float>> values = a.asnumpy();
    EXPECT_TRUE(values.ok()) << (values.ok() ? "" : values.error().message);
    return values.ok() ? *values : std::vector<float>{};
  }
};

// Small multiples of 0.5, so that float32 arithmetic on these values is exact.
inline std::vector<float> simple_values(std::int64_t count, int salt) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>((i * 7 + salt * 5) % 11) * 0.5f - 2.0f);
  return values;
}

}  // namespace runahead::engine
