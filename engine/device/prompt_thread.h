// A thread that must run soon after it is woken.
#pragma once

namespace runahead::engine {

// Asks the kernel to wake the calling thread at its time, and to let it preempt one with a longer slice; its
// share of the processor stays the same, and no privilege is needed. Linux before 6.12 ignores the latter.
void make_this_thread_prompt();

}  // namespace runahead::engine
