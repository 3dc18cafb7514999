// Handles a failed allocation of the program itself, on any thread: one line on stderr and exit 1 instead of
// an abort. Memory of arrays belongs to their device, which reports it as a failure of the op before this.
#pragma once

namespace runahead::gui {

// After this call some memory is kept in reserve. The first failed allocation uses it, so that a run can end
// normally. The next failure ends the program; too little address space ends it at once. Call once, before
// there are other threads.
void prepare_for_out_of_memory();
// How the current work can be made to need less memory: inserted in the message before "raise its limit". A
// literal.
void advise_out_of_memory(const char* advice);

}  // namespace runahead::gui
