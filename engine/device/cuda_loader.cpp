#include "engine/device/cuda_loader.h"

#include <cstdio>

#include "instrumentation/base/module_file.h"

namespace runahead::engine {
namespace {

constexpr const char* kModuleFile = "librunahead_cuda.so";
constexpr const char* kWhatToDo =
    "install the CUDA runtime and cuBLAS, or set LD_LIBRARY_PATH to their folder";

CudaModule nothing_because(const std::string& reason) {
  CudaModule none;
  std::snprintf(none.found.reason, sizeof none.found.reason, "%s", reason.c_str());
  return none;
}

}  // namespace

CudaModule discover_cuda() {
  const auto file = find_beside_program(kModuleFile, RUNAHEAD_BUILD_FOLDER);
  if (!file) {
    return nothing_because(std::string("built without CUDA: ") + kModuleFile +
                           " is not beside the program; install the CUDA Toolkit and build again");
  }
  const Result<void*> symbol = open_module(*file, kRunaheadCudaApiSymbol, kWhatToDo);
  if (!symbol) return nothing_because(symbol.error().message);
  const RunaheadCudaApi* const api = reinterpret_cast<RunaheadCudaGetApi>(*symbol)();
  if (api->module_version != kRunaheadCudaModuleVersion)
    return nothing_because(file->string() + " belongs to another version of this program; build it again");
  CudaModule module{.found = {}, .api = api};
  api->discover(&module.found);
  return module;
}

}  // namespace runahead::engine
