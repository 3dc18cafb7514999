#include "tests/support/sqlite_bytes.h"

#include <sqlite3.h>

#include <cstddef>

#include "instrumentation/base/check.h"

namespace runahead::testing {

std::string sqlite_bytes(std::string_view statements, int page_bytes) {
  sqlite3* database = nullptr;
  RUNAHEAD_CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
  const std::string all = "PRAGMA page_size=" + std::to_string(page_bytes) + ";" + std::string(statements);
  char* error = nullptr;
  sqlite3_exec(database, all.c_str(), nullptr, nullptr, &error);
  RUNAHEAD_CHECK_OP(std::string(error == nullptr ? "" : error), ==, "");
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

}  // namespace runahead::testing
