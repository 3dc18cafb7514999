#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/host_opencl/host_opencl.h"

namespace runahead::host_opencl {

void use_host_opencl() {
  ::setenv("OCL_ICD_VENDORS", RUNAHEAD_HOST_OPENCL_FOLDER, 1);
  ::setenv("RUNAHEAD_OPENCL_NO_CLBLAST", "1", 1);
}

namespace {

void* opened(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::abort();
  }
  return library;
}

}  // namespace

HostOpenClControls& host_opencl_controls() {
  // The path is the one in the loader's file, so that this is the library that the loader opens.
  void* const driver = opened(RUNAHEAD_HOST_OPENCL_DRIVER);
  return *reinterpret_cast<GetHostOpenClControls>(::dlsym(driver, kHostOpenClControlsSymbol))();
}

// The library says that its name is the installed one's. So it is found when the module opens this name.
HostClblastCounters& use_host_clblast() {
  ::unsetenv("RUNAHEAD_OPENCL_NO_CLBLAST");
  void* const library = opened(RUNAHEAD_HOST_CLBLAST);
  return *reinterpret_cast<GetHostClblastCounters>(::dlsym(library, kHostClblastCountersSymbol))();
}

}  // namespace runahead::host_opencl
