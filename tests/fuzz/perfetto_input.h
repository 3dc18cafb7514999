// Code that the fuzzer of Perfetto traces and its regression test share. It imports bytes that may be a
// Perfetto trace. It also makes the seeds: an export of Runahead, and packets made by hand with every field
// that the importer reads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace runahead::testing {

void open_as_perfetto(std::span<const std::byte> bytes);
// Every call returns the same bytes.
[[nodiscard]] std::vector<std::string> seed_perfetto_files();

}  // namespace runahead::testing
