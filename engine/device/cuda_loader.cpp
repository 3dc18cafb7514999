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

RunaheadCudaDiscovery nothing_because(const std::string& reason) {
  RunaheadCudaDiscovery found{};
  std::snprintf(found.reason, sizeof found.reason, "%s", reason.c_str());
  return found;
}

RunaheadCudaDiscovery ask_module(const std::filesystem::path& file) {
  void* const module =
      dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open: CUDA does not like to be unloaded
  if (module == nullptr) {
    const char* const why = dlerror();
    return nothing_because(std::string(why != nullptr ? why : file.c_str()) +
                           " (install the CUDA runtime, or set LD_LIBRARY_PATH to its folder)");
  }
  const auto discover = reinterpret_cast<RunaheadCudaDiscover>(dlsym(module, kRunaheadCudaDiscoverSymbol));
  if (discover == nullptr)
    return nothing_because(file.string() + " is no CUDA module of this program; build it again");
  RunaheadCudaDiscovery found{};
  discover(&found);
  if (found.module_version != kRunaheadCudaModuleVersion) {
    return nothing_because(file.string() + " belongs to another version of this program; build it again");
  }
  return found;
}

}  // namespace

RunaheadCudaDiscovery discover_cuda() {
  for (const auto& folder : module_folders()) {
    std::error_code error;
    const auto file = folder / kModuleFile;
    if (std::filesystem::exists(file, error)) return ask_module(file);
  }
  return nothing_because(
      "built without CUDA: librunahead_cuda.so is not beside the program; install the CUDA Toolkit and build "
      "again");
}

}  // namespace runahead::engine
