// Barrier policies: where in a step a frontend waits. A policy can change while a workload runs; the change
// takes effect at the next step. The workload defines what a step is, and for which array a frontend waits in
// it (the step's array).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead {

enum class BarrierKind : std::uint8_t {
  kNone,
  kWaitToRead,  // wait for the step's array
  kWaitAll,     // wait for all ops enqueued so far
  kItem,        // read one number of the array (Array::item), which waits for the array
  kAsnumpy,     // copy the array to the host (Array::asnumpy), which waits for the array
  kPrint,       // print the array (Array::print), which waits for the array
  kWindow,      // step t finishes before step t + k starts
  kOps,         // hold the frontend back while more than k ops are in flight
  kBytes,       // hold the frontend back while unfinished ops have more than k bytes of outputs
};

struct BarrierPolicy {
  BarrierKind kind = BarrierKind::kNone;
  std::int64_t k = 0;  // parameter of kWindow, kOps and kBytes, > 0; unused by the others
  friend bool operator==(const BarrierPolicy&, const BarrierPolicy&) = default;
};

// Convert between a policy and its text: "none", "wait_to_read", "waitall", "item", "asnumpy", "print",
// "window:2", "ops:100", "bytes:256M". A byte count may end in k, M, G (powers of 1000) or Ki, Mi, Gi (powers
// of 1024). The error names the wrong word. If the policy is unknown or its number is missing, the error also
// lists all policies.
[[nodiscard]] Result<BarrierPolicy> parse_barrier(std::string_view text);
[[nodiscard]] std::string to_string(const BarrierPolicy& policy);

// The policies that the window offers, in the order of the buttons and of the keys 1..9.
struct BarrierChoice {
  BarrierPolicy policy;
  std::string_view label;     // "window 2"
  std::string_view sentence;  // "Step t finishes before step t + 2 starts."
};
[[nodiscard]] const std::vector<BarrierChoice>& barrier_choices();

}  // namespace runahead
