// libFuzzer target for the records of CUPTI: see cupti_input.h. It needs no seeds.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/cupti/cupti_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::decode_cupti_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
