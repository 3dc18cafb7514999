// Declares the function of librunahead that the injection library (injection.cpp) calls when CUDA starts in a
// process. Not for programs.
#pragma once

extern "C" {

// Adds the GPU's activity to the environment recording (which RUNAHEAD_RECORD asked for), from now to the end
// of that recording. Does nothing without an environment recording. Leaves a note about the result for the
// program that asked for the recording.
__attribute__((visibility("default"))) void runahead_record_cuda(void);

}  // extern "C"
