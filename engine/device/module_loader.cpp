#include "engine/device/module_loader.h"

#include <cstddef>
#include <cstdio>
#include <string>

#include "instrumentation/base/module_file.h"

namespace runahead::engine {
namespace {

struct ModuleWords {
  std::string_view prefix, devices;
  const char* file;
  const char* not_built;   // why the module is not there
  const char* what_to_do;  // if a library that the module needs is missing
};

const ModuleWords& words_of(ModuleKind kind) {
  static constexpr std::array<ModuleWords, kModuleKinds.size()> kWords{
      {{.prefix = "cuda",
        .devices = "CUDA GPU",
        .file = "librunahead_cuda.so",
        .not_built = "built without CUDA; install the CUDA Toolkit and build again",
        .what_to_do = "install the CUDA runtime and cuBLAS, or set LD_LIBRARY_PATH to their folder"},
       {.prefix = "opencl",
        .devices = "OpenCL device",
        .file = "librunahead_opencl.so",
        .not_built = "built without OpenCL; install ocl-icd-opencl-dev and build again",
        .what_to_do = "install ocl-icd-libopencl1"}}};
  return kWords[static_cast<std::size_t>(kind)];
}

DeviceModule nothing_because(const std::string& reason) {
  DeviceModule none;
  std::snprintf(none.found.reason, sizeof none.found.reason, "%s", reason.c_str());
  return none;
}

}  // namespace

std::string_view device_prefix(ModuleKind kind) { return words_of(kind).prefix; }
std::string_view device_words(ModuleKind kind) { return words_of(kind).devices; }

DeviceModule discover_devices(ModuleKind kind) {
  const ModuleWords& words = words_of(kind);
  const auto file = find_beside_program(words.file, RUNAHEAD_BUILD_FOLDER);
  if (!file) return nothing_because(words.not_built);
  const Result<void*> symbol = open_module(*file, kRunaheadDeviceApiSymbol, words.what_to_do);
  if (!symbol) return nothing_because(symbol.error().message);
  const RunaheadDeviceApi* const api = reinterpret_cast<RunaheadGetDeviceApi>(*symbol)();
  if (api->module_version != kRunaheadDeviceModuleVersion)
    return nothing_because(file->string() + " belongs to another version of this program; build it again");
  DeviceModule module{.found = {}, .api = api};
  api->discover(&module.found);
  return module;
}

}  // namespace runahead::engine
