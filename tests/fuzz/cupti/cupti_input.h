// Code that the fuzzer of CUPTI's records and its regression test share.
//
// An input is a sequence of steps, each of a byte and the bytes that it needs (missing bytes are 0). Most
// steps put a record into a buffer, as CUPTI lays it out. The others hand the buffer over, end a delivery,
// lose records, or name a stream. Numbers come from a few values, so that records meet. Times are near the
// begin of the recording, or any.
#pragma once

#include <string>
#include <string_view>

namespace runahead::testing {

// Reads the buffers as the CUPTI module does, and collects the rows into a trace. Checks that each batch
// keeps the rules of trace/rows/batch.h.
void decode_cupti_input(std::string_view bytes);

// Steps of a good recording: calls, work, waits, ranges, memory, deliveries.
[[nodiscard]] std::string good_cupti_input();

}  // namespace runahead::testing
