// What the injection library calls in librunahead, in a process in which CUDA has started. Not for programs.
#pragma once

extern "C" {

// Adds the GPU's activity to the recording that the environment asked for, from now to its end. Does nothing
// without such a recording. Leaves a note about the result for the program that asked.
__attribute__((visibility("default"))) void runahead_record_cuda(void);

}  // extern "C"
