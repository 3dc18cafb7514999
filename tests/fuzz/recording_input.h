// What the fuzzer and its regression test do with bytes that may be a recording: open them in every way there
// is, and use what comes out as a program would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Touches every row and checks what a Trace promises; the sum keeps the compiler from leaving it out.
std::uint64_t read_everything(const trace::Trace& trace);

void open_as_recording(std::span<const std::byte> bytes);

}  // namespace runahead::testing
