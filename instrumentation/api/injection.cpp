// The library that CUDA_INJECTION64_PATH names. When CUDA starts in a process, whichever program that is, it
// loads this library and calls InitializeInjection(). The library brings librunahead with it, which records
// the process if the environment asks for that. A program that is linked with librunahead already has it;
// both use the same copy.
#include "instrumentation/api/cuda_recording.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  runahead_record_cuda();
  return 1;  // CUDA continues in any case
}
