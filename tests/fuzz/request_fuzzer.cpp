// libFuzzer target for the requests that `runahead serve` gets: see request_input.h. It needs no seeds.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/request_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::decide_about({reinterpret_cast<const char*>(data), size});
  return 0;
}
