// Handles a failed allocation of the program itself, on any thread: one line on stderr and exit code 1
// instead of an abort. Allocations of arrays are not handled here: their device reports a failed allocation
// as a failure of the op.
#pragma once

namespace runahead::gui {

// Reserves some memory. The first allocation that fails uses the reserve, so that a run can end normally. The
// next failed allocation ends the program. If the address space is too small, this call ends the program
// immediately. Call once, before other threads start.
void prepare_for_out_of_memory();
// Sets the advice for the message: how the current work can use less memory. The message has the advice
// before "raise its limit". `advice` must be a string literal.
void advise_out_of_memory(const char* advice);

}  // namespace runahead::gui
