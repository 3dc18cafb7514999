// How long a random test of one thread goes on.
#pragma once

#include <algorithm>

namespace runahead::testing {

// As asked; an eighth under the thread sanitizer, which has nothing to find where there is one thread, and is
// ten times slower: the address sanitizer's build goes all the way. At least `least`, for what takes turns.
constexpr int rounds(int whole, int least = 1) {
#if defined(__SANITIZE_THREAD__)
  return std::max(least, whole / 8);
#else
  return std::max(least, whole);
#endif
}

}  // namespace runahead::testing
