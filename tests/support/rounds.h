// Gives the number of rounds, or of rows, of a test that has a single thread and takes long.
#pragma once

#include <algorithm>

namespace runahead::testing {

// Returns `whole` in a build without a sanitizer. With the address sanitizer, returns a fifth of `whole`:
// each commit is tested with other random numbers, so the rounds of several commits add up. With the thread
// sanitizer, returns an eighth: this sanitizer is ten times slower and finds nothing in a single thread. The
// result is never less than `least`: a test that alternates between cases needs enough rounds for all cases.
constexpr int rounds(int whole, int least = 1) {
#if defined(__SANITIZE_THREAD__)
  return std::max(least, whole / 8);
#elif defined(__SANITIZE_ADDRESS__)
  return std::max(least, whole / 5);
#else
  return std::max(least, whole);
#endif
}

}  // namespace runahead::testing
