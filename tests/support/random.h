// Makes random input for tests. The same seed gives the same input. The seed is RUNAHEAD_TEST_SEED. If this
// variable is not set, the seed comes from the clock. The seed is printed at its first use, so that a failure
// can be repeated.
#pragma once

#include <cstdint>
#include <random>

namespace runahead::testing {

[[nodiscard]] std::uint64_t test_seed();  // one seed for this process; printed once

class Random {
 public:
  Random() : Random(test_seed()) {}
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [low, high], both included.
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  [[nodiscard]] double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  [[nodiscard]] bool chance(double probability) { return real(0, 1) < probability; }
  // Often a small number, but sometimes a large one: 2 to the power of a uniform number, up to `high`.
  [[nodiscard]] std::int64_t magnitude(std::int64_t high);
  [[nodiscard]] std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace runahead::testing
