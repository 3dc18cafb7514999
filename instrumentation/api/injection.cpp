// The library that CUDA_INJECTION64_PATH names: CUDA loads it when it starts in a process, whatever program
// that is, and calls InitializeInjection(). With it comes librunahead, which records the process if the
// environment asks for it; a program that is linked with that already has it, and it is the same one.
#include "instrumentation/api/cuda_recording.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  runahead_record_cuda();
  return 1;  // CUDA goes on in any case
}
