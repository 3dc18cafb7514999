// Says how many rounds a single-threaded random test runs.
#pragma once

#include <algorithm>

namespace runahead::testing {

// Returns `whole` in a build without a sanitizer. With the address sanitizer a third of it: each commit takes
// other random numbers, so the rounds of several commits add up. With the thread sanitizer an eighth: it is
// ten times slower and finds nothing in one thread. At least `least`, for tests that alternate between cases.
constexpr int rounds(int whole, int least = 1) {
#if defined(__SANITIZE_THREAD__)
  return std::max(least, whole / 8);
#elif defined(__SANITIZE_ADDRESS__)
  return std::max(least, whole / 3);
#else
  return std::max(least, whole);
#endif
}

}  // namespace runahead::testing
