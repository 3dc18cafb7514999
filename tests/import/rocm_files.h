// SQLite files in the shape of those of ROCm's profilers.
#pragma once

#include <string>
#include <string_view>

namespace runahead::testing {

// The tables of a database of rocmProfileData (.rpd), without rows: schema 2, as of 2024, and schema 3.
extern const std::string_view kRpd2, kRpd3;

// Statements with "$" in them, with `suffix` in its place. In a rocpd database, the names of the tables of a
// process end in an id: "$_0199f3a2".
[[nodiscard]] std::string with_suffix(std::string_view statements, std::string_view suffix);
// The tables of rocprofiler-sdk's rocpd, without rows, with "$" at the end of their names. In schema 3 rows
// have their times; in schema 4 they have ids of rows of rocpd_timestamp.
extern const std::string_view kRocpd3, kRocpd4;

}  // namespace runahead::testing
