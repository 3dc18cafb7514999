// The program itself gets no more memory, wherever that is: one line on stderr and exit 1, not an abort. What
// arrays take is their device's matter, which tells it as a failure of the op before it comes to this.
#pragma once

namespace runahead::gui {

// From here on a first failed allocation has some memory that was kept for it, so that a run can end in
// order; what fails after that ends the program, as too little address space does at once. Once, before there
// are other threads.
void prepare_for_out_of_memory();
// What the work under way can do to need less: the line's advice before "raise its limit". A literal.
void advise_out_of_memory(const char* advice);

}  // namespace runahead::gui
