// The injection library. CUDA finds it through the environment variable CUDA_INJECTION64_PATH, which contains
// its path. When CUDA starts in a process of any program, CUDA loads this library and calls
// InitializeInjection(). This library loads librunahead, which records the process if the environment asks
// for that. If the program itself is linked with librunahead, the program and this library use the same copy
// of librunahead.
#include "instrumentation/api/cuda_recording.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  runahead_record_cuda();
  return 1;  // always 1, so that CUDA continues even if nothing is recorded
}
