// libFuzzer target for Perfetto traces. An input is any sequence of bytes, perhaps compressed with gzip.
// make_perfetto_corpus makes the seeds.
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fuzz/perfetto_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  runahead::testing::open_as_perfetto({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
