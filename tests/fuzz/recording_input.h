// What the fuzzer and its regression test do with bytes that may be a recording: they open the bytes in every
// possible way, and use the trace as a program would. Opened by the chunk, it gets at most `memory_bytes` of
// memory.
#pragma once

#include <cstddef>
#include <span>

namespace runahead::testing {

void open_as_recording(std::span<const std::byte> bytes, std::size_t memory_bytes = 1);

}  // namespace runahead::testing
