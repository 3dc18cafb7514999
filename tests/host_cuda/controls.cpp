#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/host_cuda/host_cuda.h"

namespace runahead::host_cuda {

void use_host_cuda() { ::setenv("RUNAHEAD_MODULE_DIR", RUNAHEAD_HOST_CUDA_FOLDER, 1); }

HostCudaControls& host_cuda_controls() {
  void* const module = dlopen(RUNAHEAD_HOST_CUDA_FOLDER "/librunahead_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return *reinterpret_cast<GetHostCudaControls>(dlsym(module, kHostCudaControlsSymbol))();
}

}  // namespace runahead::host_cuda
