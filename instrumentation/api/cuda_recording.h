// What the injection library asks of librunahead in a process that CUDA has started in. Not for programs.
#pragma once

extern "C" {

// The GPU's activity goes into the recording that the environment asked of this process, from now to its end;
// without such a recording nothing happens. Whoever asked for it is told what came of it.
__attribute__((visibility("default"))) void runahead_record_cuda(void);

}  // extern "C"
