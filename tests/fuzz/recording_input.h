// The fuzzer of recordings and its regression test share this code. It takes bytes that may be a recording,
// opens them in every possible way, and uses the trace as a program would. If a recording is opened chunk by
// chunk, it gets at most `memory_bytes` of memory.
#pragma once

#include <cstddef>
#include <span>

namespace runahead::testing {

void open_as_recording(std::span<const std::byte> bytes, std::size_t memory_bytes = 1);

}  // namespace runahead::testing
