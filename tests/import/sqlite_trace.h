// Imports SQLite files that a test makes.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Imports the database that these statements make. If the import refuses the file, the test fails.
[[nodiscard]] trace::Trace sqlite_trace(std::string_view tables, std::string_view statements);
// The error message for bytes that the import must refuse.
[[nodiscard]] std::string sqlite_refusal(std::string_view bytes);

}  // namespace runahead::testing
