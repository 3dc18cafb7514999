#include "engine/device/opencl/devices.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/opencl/kernels.h"

namespace runahead::engine::opencl {
namespace {

constexpr std::size_t kLeastGroupItems = 256;  // of the kernels' work groups

struct Known {
  cl_device_id id = nullptr;
  std::string platform;
  int half_of = -1;  // index of the device that this one is a half of; -1: none
};

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(size - 1);  // without the zero at the end
  return text;
}

std::string name_of(cl_platform_id platform) {
  char name[256] = "";
  (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  return name;
}

template <typename T>
T number_of(cl_device_id device, cl_device_info what) {
  T value{};
  (void)clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

struct Found {
  std::vector<Known> devices;
  std::string troubles;  // of the drivers without a device, each with the driver's name
};

void add_trouble(cl_platform_id platform, cl_int error, Found& found) {
  const std::string what = error == CL_DEVICE_NOT_FOUND
                               ? "finds no device here"
                               : std::string("fails: ") + error_text(status_of(error));
  found.troubles += (found.troubles.empty() ? "" : "; ") + std::string("the OpenCL driver '") +
                    name_of(platform) + "' " + what;
}

void add_devices_of(cl_platform_id platform, Found& found) {
  cl_uint count = 0;
  cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(error == CL_SUCCESS ? count : 0);
  if (!ids.empty()) error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  if (error == CL_SUCCESS && ids.empty()) error = CL_DEVICE_NOT_FOUND;
  if (error != CL_SUCCESS) return add_trouble(platform, error, found);
  for (cl_device_id const id : ids) found.devices.push_back({.id = id, .platform = name_of(platform)});
}

// The two halves of a CPU; none if it has one compute unit, or the driver makes no sub-devices.
void add_halves(int index, std::vector<Known>& devices) {
  const Known whole = devices[static_cast<std::size_t>(index)];
  const auto units = number_of<cl_uint>(whole.id, CL_DEVICE_MAX_COMPUTE_UNITS);
  if ((number_of<cl_device_type>(whole.id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0 || units < 2) return;
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_COUNTS, units / 2, units - units / 2,
                                              CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id halves[2] = {};
  cl_uint made = 0;
  if (clCreateSubDevices(whole.id, how, 2, halves, &made) != CL_SUCCESS || made != 2) return;
  for (cl_device_id const half : halves)
    devices.push_back({.id = half, .platform = whole.platform, .half_of = index});
}

Found find_devices() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  Found found;
  for (cl_platform_id const platform : platforms) add_devices_of(platform, found);
  const auto whole = static_cast<int>(found.devices.size());
  for (int i = 0; i < whole; ++i) add_halves(i, found.devices);
  return found;
}

// Lives until the process ends, because sub-devices do.
const Found& known_devices() {
  static const Found* const found = new Found(find_devices());
  return *found;
}

void describe(const Known& known, RunaheadModuleDevice& out) {
  std::snprintf(out.name, sizeof out.name, "%s", text_of(known.id, CL_DEVICE_NAME).c_str());
  const std::string half = known.half_of < 0 ? "" : "half of opencl:" + std::to_string(known.half_of) + ", ";
  const auto units = number_of<cl_uint>(known.id, CL_DEVICE_MAX_COMPUTE_UNITS);
  std::snprintf(out.detail, sizeof out.detail, "%s%u compute unit%s, %s, driver %s", half.c_str(), units,
                units == 1 ? "" : "s", known.platform.c_str(), text_of(known.id, CL_DRIVER_VERSION).c_str());
  out.memory_bytes = number_of<cl_ulong>(known.id, CL_DEVICE_GLOBAL_MEM_SIZE);
}

// ---- open devices -----------------------------------------------------------------------------------------

bool rounds_division(cl_device_id device) {
  const auto single = number_of<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
  return (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

std::int32_t compile(OpenDevice& device) {
  cl_int error = CL_SUCCESS;
  const char* source = kOpenClKernels;
  device.program = Program(clCreateProgramWithSource(device.context.get(), 1, &source, nullptr, &error));
  if (error != CL_SUCCESS) return status_of(error);
  std::string options = "-cl-std=CL1.2";
  if (device.has_double) options += " -DRUNAHEAD_FP64";
  if (rounds_division(device.id)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  error = clBuildProgram(device.program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return 0;
  std::size_t size = 0;
  (void)clGetProgramBuildInfo(device.program.get(), device.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size + 1, '\0');
  (void)clGetProgramBuildInfo(device.program.get(), device.id, CL_PROGRAM_BUILD_LOG, size, log.data(),
                              nullptr);
  set_build_log(log.c_str());
  return error == CL_BUILD_PROGRAM_FAILURE ? kNoProgram : status_of(error);
}

std::int32_t open_new(cl_device_id id, std::shared_ptr<OpenDevice>& out) {
  if (number_of<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE) < kLeastGroupItems) return kSmallGroups;
  auto device = std::make_shared<OpenDevice>();
  device->id = id;
  device->has_double = std::getenv("RUNAHEAD_OPENCL_NO_DOUBLE") == nullptr &&
                       number_of<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  cl_int error = CL_SUCCESS;
  device->context = Context(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return status_of(error);
  device->memory = Queue(clCreateCommandQueue(device->context.get(), id, 0, &error));
  if (error != CL_SUCCESS) return status_of(error);
  if (const std::int32_t status = compile(*device); status != 0) return status;
  out = std::move(device);
  return 0;
}

// A device may close before its pinned block goes. Its queue is there until the block is unpinned, because a
// buffer that is released while it is mapped is never freed.
struct Pinned {
  Queue queue;
  Memory buffer;
  void* mapped = nullptr;
};

struct Table {
  Mutex mutex;  // never nests
  std::map<std::int32_t, std::weak_ptr<OpenDevice>> open RUNAHEAD_GUARDED_BY(mutex);
  struct Block {
    std::size_t bytes = 0, reserved_bytes = 0;
    std::shared_ptr<OpenDevice> device;
    Memory buffer;
  };
  std::map<std::uintptr_t, Block> blocks RUNAHEAD_GUARDED_BY(mutex);  // by their first address
  std::map<void*, std::vector<Pinned>> pinned RUNAHEAD_GUARDED_BY(mutex);
};
Table& table() {
  static Table* const only = new Table;  // drivers may use their objects until the process ends
  return *only;
}

std::uintptr_t number_of_address(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// Makes the driver give memory to a buffer now. It would otherwise do so with the first use, and the error
// would be that of an op.
std::int32_t make_real(const OpenDevice& device, cl_mem buffer) {
  const cl_int error = clEnqueueMigrateMemObjects(
      device.memory.get(), 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr);
  return error != CL_SUCCESS ? status_of(error) : status_of(clFinish(device.memory.get()));
}

std::int32_t pin_for(const std::shared_ptr<OpenDevice>& device, void* memory, std::size_t bytes,
                     Pinned& out) {
  cl_int error = CL_SUCCESS;
  out.queue = device->memory;
  out.buffer = Memory(
      clCreateBuffer(device->context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &error));
  if (error != CL_SUCCESS) return status_of(error);
  out.mapped = clEnqueueMapBuffer(device->memory.get(), out.buffer.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                  0, bytes, 0, nullptr, nullptr, &error);
  return status_of(error);
}

}  // namespace

void discover(RunaheadDiscovery* out) {
  *out = {};
  const auto& [known, troubles] = known_devices();
  out->device_count = static_cast<std::int32_t>(std::min(known.size(), std::size(out->devices)));
  for (std::int32_t i = 0; i < out->device_count; ++i)
    describe(known[static_cast<std::size_t>(i)], out->devices[i]);
  if (out->device_count > 0) return;
  const bool another = !troubles.empty();
  std::snprintf(out->reason, sizeof out->reason,
                "%s; install %s: pocl-opencl-icd (any CPU), intel-opencl-icd (Intel GPU), mesa-opencl-icd "
                "(AMD GPU)",
                another ? troubles.c_str() : "no OpenCL driver here", another ? "another driver" : "one");
}

std::int32_t open_device(std::int32_t index, std::shared_ptr<OpenDevice>& out) {
  const std::vector<Known>& known = known_devices().devices;
  if (index < 0 || static_cast<std::size_t>(index) >= known.size()) return status_of(CL_DEVICE_NOT_FOUND);
  const MutexLock lock(table().mutex);
  std::weak_ptr<OpenDevice>& place = table().open[index];
  if ((out = place.lock()) != nullptr) return 0;
  const std::int32_t status = open_new(known[static_cast<std::size_t>(index)].id, out);
  if (status == 0) place = out;
  return status;
}

std::int32_t take_memory(const std::shared_ptr<OpenDevice>& device, std::size_t bytes, void** out) {
  constexpr std::size_t kPage = 4096;
  Table::Block block{.bytes = bytes, .reserved_bytes = (bytes + kPage) / kPage * kPage, .device = device};
  cl_int error = CL_SUCCESS;
  block.buffer = Memory(clCreateBuffer(device->context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &error));
  if (error != CL_SUCCESS) return status_of(error);
  if (const std::int32_t status = make_real(*device, block.buffer.get()); status != 0) return status;
  void* const address =
      ::mmap(nullptr, block.reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return kNoHostMemory;
  const MutexLock lock(table().mutex);
  table().blocks.emplace(number_of_address(address), std::move(block));
  *out = address;
  return 0;
}

std::int32_t give_memory(void* memory) {
  Table::Block block;
  {
    const MutexLock lock(table().mutex);
    const auto found = table().blocks.find(number_of_address(memory));
    if (found == table().blocks.end()) return kNotOurMemory;
    block = std::move(found->second);
    table().blocks.erase(found);
  }
  (void)::munmap(memory, block.reserved_bytes);
  return 0;
}

std::optional<Place> place_of(const void* address) {
  const std::uintptr_t number = number_of_address(address);
  const MutexLock lock(table().mutex);
  auto after = table().blocks.upper_bound(number);
  if (after == table().blocks.begin()) return std::nullopt;
  const auto& [begin, block] = *--after;
  if (number - begin >= std::max<std::size_t>(block.bytes, 1)) return std::nullopt;
  return Place{.device = block.device, .buffer = block.buffer, .at_bytes = number - begin};
}

std::int32_t touch_memory(void* memory, std::size_t bytes) {
  const std::optional<Place> place = place_of(memory);
  if (!place) return kNotOurMemory;
  cl_command_queue const queue = place->device->memory.get();
  constexpr cl_uchar kZero = 0;
  const cl_int error = clEnqueueFillBuffer(queue, place->buffer.get(), &kZero, sizeof kZero, place->at_bytes,
                                           bytes, 0, nullptr, nullptr);
  return status_of(error != CL_SUCCESS ? error : clFinish(queue));
}

std::int32_t pin(void* memory, std::size_t bytes) {
  const MutexLock lock(table().mutex);
  std::vector<Pinned> made;
  for (const auto& [index, weak] : table().open) {
    const std::shared_ptr<OpenDevice> device = weak.lock();
    if (device == nullptr) continue;
    Pinned one;
    if (pin_for(device, memory, bytes, one) == 0) made.push_back(std::move(one));
  }
  if (made.empty()) return status_of(CL_INVALID_OPERATION);
  table().pinned[memory] = std::move(made);
  return 0;
}

std::int32_t unpin(void* memory) {
  std::vector<Pinned> pinned;
  {
    const MutexLock lock(table().mutex);
    const auto found = table().pinned.find(memory);
    if (found == table().pinned.end()) return 0;
    pinned = std::move(found->second);
    table().pinned.erase(found);
  }
  for (const Pinned& one : pinned) {
    (void)clEnqueueUnmapMemObject(one.queue.get(), one.buffer.get(), one.mapped, 0, nullptr, nullptr);
    (void)clFinish(one.queue.get());
  }
  return 0;
}

}  // namespace runahead::engine::opencl
