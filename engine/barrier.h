// Barrier policies: where a frontend waits. Changeable while a workload runs; a change takes effect at its
// next step. The workload says what its step is and which array it waits for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::engine {

enum class BarrierKind : std::uint8_t {
  kNone,
  kWaitToRead,  // wait for the step's array
  kWaitAll,     // wait for everything enqueued
  kItem,        // the implicit blockers: read one number of it,
  kAsnumpy,     // copy it to the host,
  kPrint,       // print it
  kWindow,      // step t finishes before step t + k starts
  kOps,         // hold the frontend back while more than k ops are in flight
  kBytes,       // ... while more than k bytes of outputs of unfinished ops are in flight
};

struct BarrierPolicy {
  BarrierKind kind = BarrierKind::kNone;
  std::int64_t k = 0;  // of kWindow, kOps, kBytes; > 0 there
  friend bool operator==(const BarrierPolicy&, const BarrierPolicy&) = default;
};

// "none", "wait_to_read", "waitall", "item", "asnumpy", "print", "window:2", "ops:100", "bytes:256M" and
// back. bytes take k, M, G (powers of 1000) and Ki, Mi, Gi. The error names the word and lists what there is.
[[nodiscard]] Result<BarrierPolicy> parse_barrier(std::string_view text);
[[nodiscard]] std::string to_string(const BarrierPolicy& policy);

// What a person can choose, with a sentence each, in the order of the window's row and its keys 1..9.
struct BarrierChoice {
  BarrierPolicy policy;
  std::string_view label;     // "window 2"
  std::string_view sentence;  // "Step t finishes before step t + 2 starts."
};
[[nodiscard]] const std::vector<BarrierChoice>& barrier_choices();

}  // namespace runahead::engine
