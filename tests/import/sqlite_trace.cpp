#include "tests/import/sqlite_trace.h"

#include <gtest/gtest.h>

#include <utility>

#include "instrumentation/import/sqlite/sqlite_import.h"
#include "tests/support/sqlite_bytes.h"

namespace runahead::testing {

using namespace runahead::trace;

Trace sqlite_trace(std::string_view tables, std::string_view statements) {
  Result<Trace> trace = importers::read_sqlite(sqlite_bytes(std::string(tables) + std::string(statements)));
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace ? std::move(*trace) : Trace();
}

std::string sqlite_refusal(std::string_view bytes) {
  const Result<Trace> trace = importers::read_sqlite(bytes);
  EXPECT_FALSE(trace.ok());
  return trace ? "" : trace.error().message;
}

std::string with_changed_bytes(std::string bytes, Random& random) {
  for (std::int64_t changes = random.integer(1, 40); changes > 0; --changes) {
    const auto at =
        static_cast<std::size_t>(random.integer(100, static_cast<std::int64_t>(bytes.size()) - 1));
    bytes[at] = static_cast<char>(random.integer(0, 255));
  }
  return bytes;
}

}  // namespace runahead::testing
