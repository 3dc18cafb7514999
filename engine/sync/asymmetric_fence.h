// Two fences that belong together: of a pair of threads that each write one thing and then read the other's,
// at least one sees what the other wrote, if one has the light fence between the two and the other the heavy
// one. The light fence costs nothing where the kernel can interrupt all threads of the process for the heavy
// one (Linux: membarrier), and is an ordinary full fence elsewhere. The heavy one costs some microseconds.
#pragma once

#include <atomic>

namespace runahead::engine {

class AsymmetricFence {
 public:
  // may_be_uneven false: both are full fences, for threads that swap the roles.
  explicit AsymmetricFence(bool may_be_uneven = true);

  void light() const noexcept {
    if (by_kernel_) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      full();
    }
  }
  void heavy() const noexcept;
  // The light fence costs nothing.
  [[nodiscard]] bool is_uneven() const { return by_kernel_; }

 private:
  static void full() noexcept;
  bool by_kernel_;  // asked once per process
};

}  // namespace runahead::engine
