#include "engine/device/prompt_thread.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace runahead::engine {
namespace {

// The kernel's struct sched_attr, first version. The C library does not declare it before glibc 2.41.
struct SchedulingAttributes {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime_ns, deadline_ns, period_ns;
};
constexpr std::uint32_t kOrdinaryPolicy = 0;  // SCHED_OTHER
// The shortest time slice that the kernel accepts. The kernel's default is about 3 ms.
constexpr std::uint64_t kShortSliceNs = 100'000;

}  // namespace

void make_this_thread_prompt() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // timer slack (allowed delay of a wake-up): 1 ns; the default is 50 us
#if defined(SYS_sched_getattr) && defined(SYS_sched_setattr)
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return;
  if (attributes.policy != kOrdinaryPolicy) return;  // keep the policy that the user has chosen
  attributes.size = sizeof attributes;
  attributes.runtime_ns = kShortSliceNs;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0U);  // the kernel may refuse this request
#endif
}

}  // namespace runahead::engine
