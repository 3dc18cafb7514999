// Asks the kernel to run a thread soon after it is woken.
#pragma once

namespace runahead::engine {

// Asks the kernel to wake the calling thread exactly on time, and to let it preempt threads with a longer
// time slice. Its share of the processor stays the same, and no privilege is needed. Linux before 6.12
// ignores the second request.
void make_this_thread_prompt();

}  // namespace runahead::engine
