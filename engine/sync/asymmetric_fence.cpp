#include "engine/sync/asymmetric_fence.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace runahead::engine {
namespace {

// The values are from linux/membarrier.h, in Linux 4.14 and later.
constexpr int kPrivateExpedited = 1 << 3;
constexpr int kRegisterPrivateExpedited = 1 << 4;

long membarrier(int command) {
#if defined(SYS_membarrier)
  return syscall(SYS_membarrier, command, 0);
#else
  (void)command;
  return -1;
#endif
}

bool registered() {
  static const bool done = membarrier(kRegisterPrivateExpedited) == 0;
  return done;
}

}  // namespace

AsymmetricFence::AsymmetricFence(bool may_be_uneven) : by_kernel_(may_be_uneven && registered()) {}

void AsymmetricFence::full() noexcept {
#if defined(__SANITIZE_THREAD__)
  // tsan (ThreadSanitizer) does not model fences; a read-modify-write of one variable gives the same order
  static std::atomic<int> any{0};
  any.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void AsymmetricFence::heavy() const noexcept {
  full();
  if (by_kernel_) membarrier(kPrivateExpedited);
}

}  // namespace runahead::engine
