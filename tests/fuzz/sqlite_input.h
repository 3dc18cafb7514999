// Code that the fuzzer of SQLite files and its regression test share: it imports bytes that may be a SQLite
// file, and uses the trace as a program would.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runahead::testing {

void open_as_sqlite(std::string_view bytes);

// The first inputs: small databases of Nsight Systems, rocpd and rocmProfileData, with each table that the
// importers know.
[[nodiscard]] std::vector<std::string> sqlite_seeds();

}  // namespace runahead::testing
