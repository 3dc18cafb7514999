// Asks the kernel to run a thread soon after it is woken.
#pragma once

namespace runahead::engine {

// Asks the kernel to wake the calling thread exactly on time, and to let it preempt threads with a longer
// time slice. The thread's share of the processor stays the same, and no privilege is needed. Linux before
// 6.12 ignores the request about time slices.
void make_this_thread_prompt();

}  // namespace runahead::engine
