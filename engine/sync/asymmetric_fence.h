// AsymmetricFence: a pair of fences, one light and one heavy, for two threads. Each thread writes its own
// variable, then passes its fence, then reads the other thread's variable. One thread uses light(), the other
// heavy(). Then at least one of the two threads sees the other thread's write.
// Cost: light() is free if the kernel can interrupt all threads of the process (Linux: membarrier). Otherwise
// light() is an ordinary full fence. heavy() costs a few microseconds.
#pragma once

#include <atomic>

namespace runahead::engine {

class AsymmetricFence {
 public:
  // If may_be_uneven is false, both fences are full fences. Pass false if each thread may call both light()
  // and heavy().
  explicit AsymmetricFence(bool may_be_uneven = true);

  void light() const noexcept {
    if (by_kernel_) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      full();
    }
  }
  void heavy() const noexcept;
  // True: the light fence is free.
  [[nodiscard]] bool is_uneven() const { return by_kernel_; }

 private:
  static void full() noexcept;
  bool by_kernel_;  // true: heavy() uses the kernel's membarrier, and light() is free
};

}  // namespace runahead::engine
