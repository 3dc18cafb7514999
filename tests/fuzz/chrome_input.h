// Code that the fuzzer of Chrome traces and its regression test share: it imports bytes that may be a Chrome
// trace, and uses the trace as a program would.
#pragma once

#include <string_view>

namespace runahead::testing {

void open_as_chrome_json(std::string_view bytes);

}  // namespace runahead::testing
