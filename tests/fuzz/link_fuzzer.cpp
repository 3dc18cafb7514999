// libFuzzer target for what a peer sends: see link_input.h. make_corpus makes seeds of the link, too.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/link_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::read_from_peer({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
