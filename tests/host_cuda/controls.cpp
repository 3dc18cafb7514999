#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/host_cuda/host_cuda.h"

namespace runahead::host_cuda {

bool cuda_is_real() { return std::getenv("RUNAHEAD_TEST_REAL_CUDA") != nullptr; }

void use_host_cuda() {
  if (!cuda_is_real()) ::setenv("RUNAHEAD_MODULE_DIR", RUNAHEAD_HOST_CUDA_FOLDER, 1);
}

void use_own_cuda() {
  if (!cuda_is_real()) ::unsetenv("RUNAHEAD_MODULE_DIR");
}

HostCudaControls& host_cuda_controls() {
  void* const module = dlopen(RUNAHEAD_HOST_CUDA_FOLDER "/librunahead_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return *reinterpret_cast<GetHostCudaControls>(dlsym(module, kHostCudaControlsSymbol))();
}

}  // namespace runahead::host_cuda
