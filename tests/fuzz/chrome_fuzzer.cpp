// libFuzzer target for the importer of Chrome traces. The folder chrome_corpus has its seeds (the first
// inputs).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/chrome_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::open_as_chrome_json({reinterpret_cast<const char*>(data), size});
  return 0;
}
