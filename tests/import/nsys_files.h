// SQLite files in the shape of the exports of Nsight Systems.
#pragma once

#include <string_view>

namespace runahead::testing {

// The tables of an export of 2022 (Nsight Systems 2022.1: fewer columns, and other names of the tables with
// the version) and of an export of 2024 and later, without rows.
extern const std::string_view kNsys2022, kNsys2024;

}  // namespace runahead::testing
