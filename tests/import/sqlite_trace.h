// Imports SQLite files that a test makes.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"
#include "tests/support/random.h"

namespace runahead::testing {

// Imports the database that these statements make. If the import refuses the file, the test fails.
[[nodiscard]] trace::Trace sqlite_trace(std::string_view tables, std::string_view statements);
// The error message for bytes that the import must refuse.
[[nodiscard]] std::string sqlite_refusal(std::string_view bytes);
// The bytes with 1 to 40 of them changed, but not the first 100, which are the header of the database.
[[nodiscard]] std::string with_changed_bytes(std::string bytes, Random& random);

}  // namespace runahead::testing
