// Tells the core that this thread spins on a value. This saves power and gives the core's other hardware
// thread its turn.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace runahead {

inline void spin_pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace runahead
