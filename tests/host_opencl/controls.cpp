#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/host_opencl/host_opencl.h"

namespace runahead::host_opencl {

void use_host_opencl() {
  ::setenv("OCL_ICD_VENDORS", RUNAHEAD_HOST_OPENCL_FOLDER, 1);
  ::setenv("RUNAHEAD_OPENCL_NO_CLBLAST", "1", 1);
}

HostOpenClControls& host_opencl_controls() {
  // The path is the one in the loader's file, so that this is the library that the loader opens.
  void* const driver = ::dlopen(RUNAHEAD_HOST_OPENCL_DRIVER, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::abort();
  }
  return *reinterpret_cast<GetHostOpenClControls>(::dlsym(driver, kHostOpenClControlsSymbol))();
}

}  // namespace runahead::host_opencl
