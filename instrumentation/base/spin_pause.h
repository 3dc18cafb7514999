// Call this in a spin loop. It tells the core that the thread only waits for a value to change. The core then
// uses less power, and its other hardware thread runs faster.
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
