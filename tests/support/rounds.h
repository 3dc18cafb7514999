// Gives the number of rounds, or of rows, of a test that has a single thread and takes long.
#pragma once

#include <algorithm>

namespace runahead::testing {

// The divisor of the number of rounds. It is 1 without a sanitizer. With the address sanitizer it is 5: each
// commit is tested with other random numbers, so the rounds of several commits add up. With the thread
// sanitizer it is 8: this sanitizer is ten times slower and finds nothing in a single thread.
#if defined(__SANITIZE_THREAD__)
inline constexpr int kOneRoundOf = 8;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr int kOneRoundOf = 5;
#else
inline constexpr int kOneRoundOf = 1;
#endif

// Returns `whole` / kOneRoundOf, but never less than `least`: a test that alternates between cases needs
// enough rounds for all cases.
constexpr int rounds(int whole, int least = 1) { return std::max(least, whole / kOneRoundOf); }

}  // namespace runahead::testing
