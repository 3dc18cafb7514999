#include "tests/support/random.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace runahead::testing {

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("RUNAHEAD_TEST_SEED");
    const std::uint64_t value =
        given != nullptr
            ? std::strtoull(given, nullptr, 0)
            : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    std::fflush(stdout);
    return value;
  }();
  return seed;
}

std::int64_t Random::magnitude(std::int64_t high) {
  if (high <= 0) return 0;
  const double power = real(0, std::log2(static_cast<double>(high) + 1));
  return std::min(high, static_cast<std::int64_t>(std::exp2(power)) - 1);
}

}  // namespace runahead::testing
