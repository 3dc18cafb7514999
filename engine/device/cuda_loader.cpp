#include "engine/device/cuda_loader.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace runahead::engine {
namespace {

constexpr const char* kModuleFile = "librunahead_cuda.so";

// Where the module may lie: as the environment says, beside the program, in the build folder.
std::vector<std::filesystem::path> module_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* said = std::getenv("RUNAHEAD_MODULE_DIR"); said != nullptr && *said != '\0')
    folders.emplace_back(said);
  std::error_code error;
  if (const auto program = std::filesystem::read_symlink("/proc/self/exe", error); !error) {
    folders.push_back(program.parent_path());
  }
  folders.emplace_back(RUNAHEAD_BUILD_FOLDER);
  return folders;
}

struct Opened {
  void* module = nullptr;  // stays open: CUDA does not like to be unloaded
  std::string reason;      // why there is none
};

Opened open_file(const std::filesystem::path& file) {
  if (void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {module, {}};
  const char* const why = dlerror();
  return {nullptr, std::string(why != nullptr ? why : file.c_str()) +
                       " (install the CUDA runtime and cuBLAS, or set LD_LIBRARY_PATH to their folder)"};
}

// The module, looked for anew each time while there is none: dlopen() gives the same one again.
Opened open_module() {
  for (const auto& folder : module_folders()) {
    std::error_code error;
    const auto file = folder / kModuleFile;
    if (std::filesystem::exists(file, error)) return open_file(file);
  }
  return {
      nullptr,
      "built without CUDA: librunahead_cuda.so is not beside the program; install the CUDA Toolkit and build "
      "again"};
}

RunaheadCudaDiscovery nothing_because(const std::string& reason) {
  RunaheadCudaDiscovery found{};
  std::snprintf(found.reason, sizeof found.reason, "%s", reason.c_str());
  return found;
}

}  // namespace

RunaheadCudaDiscovery discover_cuda() {
  const Opened opened = open_module();
  if (opened.module == nullptr) return nothing_because(opened.reason);
  const auto discover =
      reinterpret_cast<RunaheadCudaDiscover>(dlsym(opened.module, kRunaheadCudaDiscoverSymbol));
  if (discover == nullptr)
    return nothing_because(std::string(kModuleFile) + " is no CUDA module of this program; build it again");
  RunaheadCudaDiscovery found{};
  discover(&found);
  if (found.module_version != kRunaheadCudaModuleVersion) {
    return nothing_because(std::string(kModuleFile) +
                           " belongs to another version of this program; build it again");
  }
  return found;
}

const RunaheadCudaApi* cuda_api() {
  if (discover_cuda().device_count == 0) return nullptr;
  const auto get = reinterpret_cast<RunaheadCudaGetApi>(dlsym(open_module().module, kRunaheadCudaApiSymbol));
  return get != nullptr ? get() : nullptr;
}

}  // namespace runahead::engine
