// Code that the fuzzer of HTTP requests to `runahead serve` and its regression test share. The input is a
// request line and lines of fields.
#pragma once

#include <string_view>

namespace runahead::testing {

inline constexpr std::string_view kFuzzToken = "0123456789abcdef";

// Decides about the request, and checks that nothing is allowed that must not be.
void decide_about(std::string_view bytes);

}  // namespace runahead::testing
