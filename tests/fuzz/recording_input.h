// Code that the fuzzer of recordings and its regression test share. The input is bytes that may be a
// recording. The code opens the input in every way that the reader offers, and uses the trace as a program
// would. If a recording is opened chunk by chunk, its loaded chunks take at most `memory_bytes`.
#pragma once

#include <cstddef>
#include <span>

namespace runahead::testing {

void open_as_recording(std::span<const std::byte> bytes, std::size_t memory_bytes = 1);

}  // namespace runahead::testing
