// What the fuzzer of Perfetto traces and its regression test do with bytes that may be one, and the files to
// begin with: an export of our own, and packets by hand with every field that is read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace runahead::testing {

void open_as_perfetto(std::span<const std::byte> bytes);
// The same each time.
[[nodiscard]] std::vector<std::string> seed_perfetto_files();

}  // namespace runahead::testing
