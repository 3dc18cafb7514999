// Makes SQLite files in the shape of the exports of Nsight Systems, as bytes in memory.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// The bytes of a database in which these statements were run. A test fails if SQLite refuses them.
[[nodiscard]] std::string sqlite_bytes(std::string_view statements);

// The tables of an export of 2022 (Nsight Systems 2022.1: fewer columns, and other names of the tables with
// the version) and of an export of 2024 and later, without rows.
extern const std::string_view kNsys2022, kNsys2024;

// Imports the database that these statements make. If the import refuses the file, the test fails.
[[nodiscard]] trace::Trace nsys_trace(std::string_view tables, std::string_view statements);
// The error message for bytes that the import must refuse.
[[nodiscard]] std::string sqlite_refusal(std::string_view bytes);

}  // namespace runahead::testing
