// What the importer's fuzzer and its regression test do with bytes that may be a Chrome trace: they import
// the bytes and use the trace as a program would.
#pragma once

#include <string_view>

namespace runahead::testing {

void open_as_chrome_json(std::string_view bytes);

}  // namespace runahead::testing
