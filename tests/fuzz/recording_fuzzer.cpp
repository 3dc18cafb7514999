// libFuzzer target for recordings. The first byte of an input says three things: whether the rest is a file
// or the payloads of a file (see payload_patch.h), whether a damaged block precedes these payloads, and the
// memory limit of loaded chunks. make_corpus makes the seeds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/fuzz/payload_patch.h"
#include "tests/fuzz/recording_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const std::size_t memory_bytes = std::size_t{1} << (data[0] >> 1 & 3) * 10;  // 1 byte to 1 GiB
  if ((data[0] & 1) == 0) {
    runahead::testing::open_as_recording(rest, memory_bytes);
    return 0;
  }
  std::string file = runahead::testing::recording_from_payloads(rest);
  if ((data[0] & 8) != 0) file = runahead::testing::behind_damage(std::move(file));
  runahead::testing::open_as_recording(std::as_bytes(std::span(file)), memory_bytes);
  return 0;
}
