// The simulated CUDA module: the functions of cuda_module.cpp, which run on the simulated runtime. Added
// here: the devices say that they are simulated, and each launch says which memory it uses, so that the
// runtime can check it.
#include "tests/host_cuda/host_cuda.h"

#include <vector>

#include "engine/device/device_module.h"
#include "tests/host_cuda/runtime.h"

// runahead_device_api() of cuda_module.cpp: CMakeLists.txt gives it this name.
extern "C" const RunaheadDeviceApi* runahead_device_api_of_cuda();

namespace runahead::host_cuda {
namespace {

const RunaheadDeviceApi& real() { return *runahead_device_api_of_cuda(); }

Touch reads(const float* memory, std::int64_t count) {
  return {memory, static_cast<std::size_t>(count) * sizeof(float), false};
}
Touch writes(const float* memory, std::int64_t count) {
  return {memory, static_cast<std::size_t>(count) * sizeof(float), true};
}

std::vector<Touch> memory_of(const RunaheadPrimitive& p) {
  switch (p.kind) {
    case kRunaheadFill:
    case kRunaheadUniform:
    case kRunaheadNormal:
      return {writes(p.out, p.count)};
    case kRunaheadWithScalar:
    case kRunaheadSubtractScaled:
      return {reads(p.a, p.count), writes(p.out, p.count)};
    case kRunaheadOfTwo:
      return {reads(p.a, p.count), reads(p.b, p.count), writes(p.out, p.count)};
    case kRunaheadAddRow:
      return {reads(p.a, p.a != nullptr ? p.rows * p.columns : 0), reads(p.b, p.columns),
              writes(p.out, p.rows * p.columns)};
    case kRunaheadMultiply:
      return {reads(p.a, p.m * p.k), reads(p.b, p.k * p.n), writes(p.out, p.m * p.n)};
    case kRunaheadTotal:
      return {reads(p.a, p.count), writes(p.out, 1)};
    case kRunaheadSumRows:
      return {reads(p.a, p.rows * p.columns), writes(p.out, p.columns)};
    case kRunaheadHalfSquaredError:
      return {reads(p.a, p.rows * p.columns), reads(p.b, p.rows * p.columns), writes(p.out, p.rows)};
    default:
      return {};
  }
}

std::int32_t launch(void* device, void* stream, const RunaheadPrimitive* primitive) {
  const LaunchUses uses(memory_of(*primitive));
  return real().launch(device, stream, primitive);
}

std::int32_t open(std::int32_t index, void** out) {
  mend_card();
  return real().open(index, out);
}

void discover(RunaheadDiscovery* out) {
  real().discover(out);
  out->simulated = 1;
  for (RunaheadModuleDevice& device : out->devices) device.detail[0] = '\0';
}

RunaheadDeviceApi simulated_api() {
  RunaheadDeviceApi api = real();
  api.discover = discover;
  api.open = open;
  api.launch = launch;
  return api;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) HostCudaControls* runahead_host_cuda_controls() {
  return &controls();
}

extern "C" __attribute__((visibility("default"))) const RunaheadDeviceApi* runahead_device_api() {
  static const RunaheadDeviceApi api = simulated_api();
  return &api;
}

}  // namespace runahead::host_cuda
