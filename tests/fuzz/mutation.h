// The changes a fuzzer makes most, for the regression tests that go without one.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace runahead::testing {

inline constexpr std::string_view kLimitBytes{"\xff\0", 2};

// One to six of: a bit, any byte, a byte of `telling` (what the format gives a meaning to), a piece removed,
// repeated, or of the other input.
[[nodiscard]] std::string mutated(std::string bytes, const std::string& other, Random& random,
                                  std::string_view telling = kLimitBytes);

}  // namespace runahead::testing
