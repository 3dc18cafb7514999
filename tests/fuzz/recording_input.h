// What the fuzzer and its regression test do with bytes that may be a recording: open them in every way there
// is, and use what comes out as a program would; by the piece with no more memory than `memory_bytes`.
#pragma once

#include <cstddef>
#include <span>

namespace runahead::testing {

void open_as_recording(std::span<const std::byte> bytes, std::size_t memory_bytes = 1);

}  // namespace runahead::testing
