// The C interface of the CUDA device module (librunahead_cuda.so), opened at run time by the registry, so
// that a missing CUDA library is a reason in `runahead devices` and not a program that does not start. Today:
// discovery. The device itself is to come behind the same entry point.
#pragma once

#include <cstdint>

extern "C" {

inline constexpr std::uint32_t kRunaheadCudaModuleVersion = 1;

// One per device, filled by the module.
struct RunaheadCudaDevice {
  char name[256];
  std::int32_t compute_major, compute_minor, multiprocessors;
  std::uint64_t memory_bytes;
};
struct RunaheadCudaDiscovery {
  std::uint32_t module_version;
  std::int32_t device_count;  // 0 with a reason
  char reason[512];           // why there is none; empty if there is one
  std::int32_t driver_version, runtime_version;
  RunaheadCudaDevice devices[16];
};
// Fills `out`. Never throws, never initialises a context.
using RunaheadCudaDiscover = void (*)(RunaheadCudaDiscovery* out);
inline constexpr const char* kRunaheadCudaDiscoverSymbol = "runahead_cuda_discover";

}  // extern "C"
