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

}  // namespace runahead::testing
