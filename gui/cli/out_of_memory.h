// Handles a failed allocation of the program itself, on any thread: the program prints one line on stderr and
// ends with exit code 1 instead of an abort. Allocations of arrays are not handled here: the device of an
// array reports a failed allocation as a failure of the op.
#pragma once

namespace runahead::gui {

// Reserves some memory. The first allocation that fails frees the reserve and uses its memory, so that a run
// can end normally. The next failed allocation ends the program. If the limit of the address space (ulimit
// -v) is too small for the threads of OpenBLAS, this call ends the program immediately. Call once, before
// other threads start.
void prepare_for_out_of_memory();
// Sets the advice for the message: how the current work can use less memory. The message first gives this
// advice, then "raise its limit". `advice` must be a string literal.
void advise_out_of_memory(const char* advice);

}  // namespace runahead::gui
