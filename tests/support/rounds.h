// Says how many rounds a single-threaded random test runs.
#pragma once

#include <algorithm>

namespace runahead::testing {

// Returns `whole`; an eighth of it under the thread sanitizer, which is ten times slower and has nothing to
// find in one thread. The address sanitizer's build runs all rounds. At least `least`, for tests that
// alternate between cases.
constexpr int rounds(int whole, int least = 1) {
#if defined(__SANITIZE_THREAD__)
  return std::max(least, whole / 8);
#else
  return std::max(least, whole);
#endif
}

}  // namespace runahead::testing
