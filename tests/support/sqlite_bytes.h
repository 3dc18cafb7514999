// Makes SQLite files for tests, as bytes in memory.
#pragma once

#include <string>
#include <string_view>

namespace runahead::testing {

// The bytes of a database in which these statements were run. The program ends with SQLite's message if
// SQLite refuses them. In a file with small pages, a changed byte more often changes something that has a
// meaning.
[[nodiscard]] std::string sqlite_bytes(std::string_view statements, int page_bytes = 1024);

}  // namespace runahead::testing
