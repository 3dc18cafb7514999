// Changes inputs as fuzzers most often do. The regression tests use these changes, because they run without
// a fuzzer.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace runahead::testing {

inline constexpr std::string_view kLimitBytes{"\xff\0", 2};

// Makes one to six changes. Each change does one of these: it flips a bit; it sets a byte to any value or to
// a byte of `telling` (bytes that have a meaning in the format); it removes a range, repeats a range, or
// copies a range from the other input.
[[nodiscard]] std::string mutated(std::string bytes, const std::string& other, Random& random,
                                  std::string_view telling = kLimitBytes);

}  // namespace runahead::testing
