// A fake CUPTI inside the test program. The module under test calls it, so the test needs no GPU. The process
// has one fake CUPTI; call reset() between tests. Any thread.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>
#include <vector>

namespace runahead::testing::fake_cupti {

// Resets everything except the callbacks and the clock: the module sets them only once in a process.
void reset();

// These functions set what the next calls of CUPTI's functions return.
void set_version(std::uint32_t version);
void refuse(CUpti_ActivityKind kind, CUptiResult result);
void drop(std::size_t records);

// These functions add an activity record. The next flush delivers it to the module.
void happen(const CUpti_ActivityKernel10& kernel);
void happen(const CUpti_ActivityMemcpy6& copy);
void happen(const CUpti_ActivityAPI& call);
// Fills this number of buffers, with one kernel per buffer, without a flush.
void fill_buffers(int count);
// Requests a buffer, as a thread does with its first record. end_buffer() completes it with this kernel.
void begin_buffer();
void end_buffer(const CUpti_ActivityKernel10& kernel);
[[nodiscard]] int flushes();             // the number of flushes since reset()
[[nodiscard]] std::uint64_t clock_ns();  // the current time of the module's clock

// The calls of CUPTI's functions since reset(), in call order. Examples: "clock", "callbacks", "enable 10",
// "disable 10", "pop".
[[nodiscard]] std::vector<std::string> calls();
[[nodiscard]] int null_buffers();
[[nodiscard]] bool is_on(CUpti_ActivityKind kind);

}  // namespace runahead::testing::fake_cupti
