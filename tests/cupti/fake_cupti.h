// A CUPTI of this program's own, in place of the library: what the module calls lands here, so that its part
// of the bargain is tested without a GPU. One for the process; reset() between tests. Any thread.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>
#include <vector>

namespace runahead::testing::fake_cupti {

// All as new, but for what holds for the process's life: the callbacks and the clock.
void reset();

// What the next calls answer.
void set_version(std::uint32_t version);
void refuse(CUpti_ActivityKind kind, CUptiResult result);
void drop(std::size_t records);

// Records that happen now; they are handed over by the next flush.
void happen(const CUpti_ActivityKernel10& kernel);
void happen(const CUpti_ActivityMemcpy6& copy);
void happen(const CUpti_ActivityAPI& call);
// Fills so many buffers, of one kernel each, without a flush.
void fill_buffers(int count);
[[nodiscard]] std::uint64_t clock_ns();  // what the module's clock says

[[nodiscard]] std::vector<std::string> calls();  // "clock", "callbacks", "enable 10", "disable 10", in order
[[nodiscard]] int null_buffers();
[[nodiscard]] bool is_on(CUpti_ActivityKind kind);

}  // namespace runahead::testing::fake_cupti
