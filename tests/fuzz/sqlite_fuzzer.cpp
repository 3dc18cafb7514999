// libFuzzer target for the importer of SQLite files. runahead_make_sqlite_corpus writes its first inputs.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/sqlite_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::open_as_sqlite({reinterpret_cast<const char*>(data), size});
  return 0;
}
