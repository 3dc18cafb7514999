// What the fuzzer of the importer and its regression test do with bytes that may be a Chrome trace: import
// them and use what comes out as a program would.
#pragma once

#include <string_view>

namespace runahead::testing {

void open_as_chrome_json(std::string_view bytes);

}  // namespace runahead::testing
