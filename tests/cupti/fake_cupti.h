// A fake CUPTI inside the test program. The module under test calls it, so the test needs no GPU. The process
// has one fake CUPTI; call reset() between tests. Any thread.
//
// Two functions are those of the real libcupti, which needs no driver for them: reading the records of a
// buffer, and the names of calls. So the records that a test makes have to be as CUPTI lays them out.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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

// `produce` is called at each flush, before the flush delivers records. It may call request_buffer() and
// complete_buffer(), as CUPTI does. Empty: nothing is called. Set it while no source runs.
void set_producer(std::function<void()> produce);
struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0, used = 0;
};
[[nodiscard]] Buffer request_buffer();
void complete_buffer(const Buffer& buffer);

[[nodiscard]] int flushes();             // the number of flushes since reset()
[[nodiscard]] std::uint64_t clock_ns();  // the current time of the module's clock

// The calls of CUPTI's functions since reset(), in call order. Examples: "clock", "callbacks", "enable 10",
// "disable 10", "pop".
[[nodiscard]] std::vector<std::string> calls();
[[nodiscard]] int null_buffers();
[[nodiscard]] bool is_on(CUpti_ActivityKind kind);
// True if CUPTI would record this call: its kind is on, and the call was not muted; or its kind is off, and
// the call alone was switched on.
[[nodiscard]] bool records_call(CUpti_CallbackDomain domain, std::uint32_t cbid);

// The name of a call in the real CUPTI; empty: there is no such call.
[[nodiscard]] std::string real_call_name(CUpti_CallbackDomain domain, std::uint32_t cbid);
// A number for a call that the real CUPTI does not have. The fake then has a name for this number.
[[nodiscard]] std::uint32_t number_for_call(CUpti_CallbackDomain domain, const std::string& name);

}  // namespace runahead::testing::fake_cupti
