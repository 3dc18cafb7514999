// The simulated driver: platform, devices, buffers, kernels, copies, and the table of its functions.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "tests/host_opencl/objects.h"

_cl_context::_cl_context(cl_device_id its_device)
    : Object(runahead::host_opencl::controls().contexts), device(its_device) {}

_cl_mem::_cl_mem(cl_context its_context, std::size_t bytes, void* host)
    : Object(runahead::host_opencl::controls().buffers),
      context(its_context),
      own(host == nullptr ? bytes : 0),
      data(host == nullptr ? own.data() : static_cast<std::byte*>(host)) {}

_cl_mem::~_cl_mem() { runahead::host_opencl::controls().free_bytes += static_cast<std::int64_t>(own.size()); }

_cl_program::_cl_program(cl_context its_context)
    : Object(runahead::host_opencl::controls().programs), context(its_context) {}

_cl_kernel::_cl_kernel(cl_program its_program, std::string its_name)
    : Object(runahead::host_opencl::controls().kernels), program(its_program), name(std::move(its_name)) {}

namespace runahead::host_opencl {

// of commands.cpp
cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events);
cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info, std::size_t, void* out, std::size_t*);
cl_int CL_API_CALL get_event_profiling_info(cl_event event, cl_profiling_info what, std::size_t, void* out,
                                            std::size_t*);
cl_event CL_API_CALL create_user_event(cl_context, cl_int* error);
cl_int CL_API_CALL set_user_event_status(cl_event event, cl_int status);
cl_int CL_API_CALL set_event_callback(cl_event event, cl_int,
                                      void(CL_CALLBACK* function)(cl_event, cl_int, void*), void* data);

HostOpenClControls& controls() {
  static HostOpenClControls* const only = new HostOpenClControls;  // queues may outlive static objects
  return *only;
}

namespace {

constexpr cl_uint kDevices = 2;

cl_platform_id the_platform() {
  static _cl_platform_id only;
  return &only;
}
cl_device_id the_device(cl_uint index) {
  static std::array<_cl_device_id, kDevices> all;
  return &all[index];
}

// ---- platform and devices ---------------------------------------------------------------------------------

cl_int give_text(std::string_view text, std::size_t size, void* out, std::size_t* needed) {
  if (needed != nullptr) *needed = text.size() + 1;
  if (out == nullptr) return CL_SUCCESS;
  if (size < text.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(out, text.data(), text.size());
  static_cast<char*>(out)[text.size()] = '\0';
  return CL_SUCCESS;
}

template <typename T>
cl_int give_number(T value, std::size_t size, void* out, std::size_t* needed) {
  if (needed != nullptr) *needed = sizeof value;
  if (out == nullptr) return CL_SUCCESS;
  if (size < sizeof value) return CL_INVALID_VALUE;
  std::memcpy(out, &value, sizeof value);
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_platform_ids(cl_uint count, cl_platform_id* out, cl_uint* found) {
  if (found != nullptr) *found = 1;
  if (out != nullptr && count > 0) *out = the_platform();
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_platform_info(cl_platform_id, cl_platform_info what, std::size_t size, void* out,
                                     std::size_t* needed) {
  switch (what) {
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return give_text("HOST", size, out, needed);
    case CL_PLATFORM_EXTENSIONS:
      return give_text("cl_khr_icd", size, out, needed);
    case CL_PLATFORM_VERSION:
      return give_text("OpenCL 1.2 host", size, out, needed);
    default:
      return give_text(kHostPlatformName, size, out, needed);
  }
}

cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type, cl_uint count, cl_device_id* out,
                                  cl_uint* found) {
  if (const cl_int error = controls().platform_error; error != CL_SUCCESS) return error;
  if (controls().no_devices) return CL_DEVICE_NOT_FOUND;
  if (found != nullptr) *found = kDevices;
  for (cl_uint i = 0; out != nullptr && i < std::min(count, kDevices); ++i) out[i] = the_device(i);
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_device_info(cl_device_id, cl_device_info what, std::size_t size, void* out,
                                   std::size_t* needed) {
  constexpr cl_ulong kMemoryBytes = 1 << 30;
  constexpr std::size_t kGroupItems = 1024;
  switch (what) {
    case CL_DEVICE_NAME:
      return give_text(kHostDeviceName, size, out, needed);
    case CL_DRIVER_VERSION:
      return give_text("1", size, out, needed);
    case CL_DEVICE_TYPE:
      return give_number<cl_device_type>(CL_DEVICE_TYPE_GPU, size, out, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return give_number<cl_uint>(1, size, out, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return give_number(kMemoryBytes, size, out, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return give_number(kGroupItems, size, out, needed);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return give_number<cl_device_fp_config>(CL_FP_FMA, size, out, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL retain_device(cl_device_id) { return CL_SUCCESS; }

// ---- contexts, buffers, programs --------------------------------------------------------------------------

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id* devices,
                                      void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*,
                                      cl_int* error) {
  devices[0]->lost = CL_SUCCESS;
  *error = CL_SUCCESS;
  return new _cl_context(devices[0]);
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id, cl_command_queue_properties,
                                          cl_int* error) {
  *error = context->device->lost;
  return *error == CL_SUCCESS ? new _cl_command_queue(context) : nullptr;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags, std::size_t bytes, void* host,
                                 cl_int* error) {
  const auto needed = host == nullptr ? static_cast<std::int64_t>(bytes) : 0;
  const bool fits = (controls().free_bytes -= needed) >= 0;
  if (!fits) controls().free_bytes += needed;
  *error = fits ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return fits ? new _cl_mem(context, bytes, host) : nullptr;
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint, const char**, const std::size_t*,
                                      cl_int* error) {
  *error = CL_SUCCESS;
  return new _cl_program(context);
}

cl_int CL_API_CALL build_program(cl_program, cl_uint, const cl_device_id*, const char*,
                                 void(CL_CALLBACK*)(cl_program, void*), void*) {
  return controls().fail_build ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int CL_API_CALL get_build_info(cl_program, cl_device_id, cl_program_build_info, std::size_t size,
                                  void* out, std::size_t* needed) {
  return give_text("\nkernels.cl:18: error: the host compiles nothing\n1 error\n", size, out, needed);
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  *error = CL_SUCCESS;
  return new _cl_kernel(program, name);
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const auto* const bytes = static_cast<const std::byte*>(value);
  kernel->arguments[index].assign(bytes, bytes + size);
  return CL_SUCCESS;
}

// ---- kernels ----------------------------------------------------------------------------------------------

template <typename T>
T argument(const _cl_kernel& kernel, std::size_t index) {
  T value{};
  std::memcpy(&value, kernel.arguments[index].data(), sizeof value);
  return value;
}
// Two arguments: a buffer, and the index of its first element.
Shared<_cl_mem> buffer_argument(const _cl_kernel& kernel, std::size_t index) {
  return Shared<_cl_mem>(argument<cl_mem>(kernel, index));
}
float* elements(const Shared<_cl_mem>& buffer, cl_ulong at) {
  return reinterpret_cast<float*>(buffer->data) + at;
}

std::function<void()> filling(const _cl_kernel& kernel) {
  return [out = buffer_argument(kernel, 0), at = argument<cl_ulong>(kernel, 1),
          count = argument<cl_ulong>(kernel, 2),
          value = argument<float>(kernel, 3)] { std::fill_n(elements(out, at), count, value); };
}

std::function<void()> with_scalar(const _cl_kernel& kernel) {
  return [what = argument<cl_int>(kernel, 0), in = buffer_argument(kernel, 1),
          in_at = argument<cl_ulong>(kernel, 2), scalar = argument<float>(kernel, 3),
          out = buffer_argument(kernel, 4), out_at = argument<cl_ulong>(kernel, 5),
          count = argument<cl_ulong>(kernel, 6)] {
    const float* const from = elements(in, in_at);
    std::transform(from, from + count, elements(out, out_at), [&](float x) {
      switch (what) {
        case 0:
          return x + scalar;
        case 1:
          return x - scalar;
        case 2:
          return x * scalar;
        case 3:
          return x / scalar;
        default:
          return std::max(x, 0.0f);
      }
    });
  };
}

cl_int CL_API_CALL run_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint, const std::size_t*,
                              const std::size_t*, const std::size_t*, cl_uint waits_count,
                              const cl_event* waits, cl_event* event) {
  std::function<void()> work = [] {};
  if (kernel->name == "fill") work = filling(*kernel);
  if (kernel->name == "with_scalar") work = with_scalar(*kernel);
  return queue->enqueue(std::move(work), waits_count, waits, event);
}

// ---- copies -----------------------------------------------------------------------------------------------

cl_int wait_if(cl_bool blocking, cl_int error, cl_event command, cl_event* event) {
  if (error != CL_SUCCESS) return error;
  if (blocking == CL_TRUE) error = wait_for_events(1, &command);
  if (event != nullptr) {
    *event = command;
  } else {
    release(command);
  }
  return error;
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool blocking, std::size_t at,
                               std::size_t bytes, void* to, cl_uint waits_count, const cl_event* waits,
                               cl_event* event) {
  cl_event command = nullptr;
  const cl_int error =
      queue->enqueue_copy([from = Shared(from), at, to, bytes] { std::memcpy(to, from->data + at, bytes); },
                          waits_count, waits, &command);
  return wait_if(blocking, error, command, event);
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool blocking, std::size_t at,
                                std::size_t bytes, const void* from, cl_uint waits_count,
                                const cl_event* waits, cl_event* event) {
  cl_event command = nullptr;
  const cl_int error =
      queue->enqueue_copy([to = Shared(to), at, from, bytes] { std::memcpy(to->data + at, from, bytes); },
                          waits_count, waits, &command);
  return wait_if(blocking, error, command, event);
}

cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_at,
                               std::size_t to_at, std::size_t bytes, cl_uint waits_count,
                               const cl_event* waits, cl_event* event) {
  return queue->enqueue([from = Shared(from), to = Shared(to), from_at, to_at,
                         bytes] { std::memcpy(to->data + to_at, from->data + from_at, bytes); },
                        waits_count, waits, event);
}

// A mapped buffer is not freed, as in PoCL.
void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags,
                             std::size_t at, std::size_t, cl_uint waits_count, const cl_event* waits,
                             cl_event* event, cl_int* error) {
  cl_event command = nullptr;
  *error = queue->enqueue(nullptr, waits_count, waits, &command);
  *error = wait_if(blocking, *error, command, event);
  if (*error != CL_SUCCESS) return nullptr;
  (void)runahead::host_opencl::retain(buffer);
  return buffer->data + at;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem buffer, void*, cl_uint waits_count,
                         const cl_event* waits, cl_event* event) {
  const cl_int error = queue->enqueue(nullptr, waits_count, waits, event);
  (void)runahead::host_opencl::release(buffer);
  return error;
}

cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint, const cl_mem*, cl_mem_migration_flags,
                           cl_uint waits_count, const cl_event* waits, cl_event* event) {
  return queue->enqueue(nullptr, waits_count, waits, event);
}

cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint waits_count, const cl_event* waits,
                          cl_event* event) {
  return queue->enqueue(nullptr, waits_count, waits, event);
}

cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem to, const void* pattern, std::size_t size,
                               std::size_t at, std::size_t bytes, cl_uint waits_count, const cl_event* waits,
                               cl_event* event) {
  if (size != 1) return CL_INVALID_VALUE;  // the module has no other pattern
  ++controls().fills;
  const auto value = *static_cast<const unsigned char*>(pattern);
  return queue->enqueue([to = Shared(to), at, value, bytes] { std::memset(to->data + at, value, bytes); },
                        waits_count, waits, event);
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  const bool refuses = queue->has_copied && controls().refuse_flush.exchange(false);
  return refuses ? controls().refuse_error.load() : queue->context->device->lost.load();
}
cl_int CL_API_CALL finish(cl_command_queue queue) { return queue->finish(); }

// ---- the table --------------------------------------------------------------------------------------------

template <typename T>
cl_int CL_API_CALL retain_any(T object) {
  return retain(object);
}
template <typename T>
cl_int CL_API_CALL release_any(T object) {
  return release(object);
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = get_platform_ids;
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  table.clGetDeviceInfo = get_device_info;
  table.clRetainDevice = table.clReleaseDevice = retain_device;
  table.clCreateContext = create_context;
  table.clRetainContext = retain_any<cl_context>;
  table.clReleaseContext = release_any<cl_context>;
  table.clCreateCommandQueue = create_queue;
  table.clRetainCommandQueue = retain_any<cl_command_queue>;
  table.clReleaseCommandQueue = release_any<cl_command_queue>;
  table.clCreateBuffer = create_buffer;
  table.clRetainMemObject = retain_any<cl_mem>;
  table.clReleaseMemObject = release_any<cl_mem>;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build_program;
  table.clGetProgramBuildInfo = get_build_info;
  table.clRetainProgram = retain_any<cl_program>;
  table.clReleaseProgram = release_any<cl_program>;
  table.clCreateKernel = create_kernel;
  table.clSetKernelArg = set_argument;
  table.clRetainKernel = retain_any<cl_kernel>;
  table.clReleaseKernel = release_any<cl_kernel>;
  table.clWaitForEvents = wait_for_events;
  table.clGetEventInfo = get_event_info;
  table.clGetEventProfilingInfo = get_event_profiling_info;
  table.clRetainEvent = retain_any<cl_event>;
  table.clReleaseEvent = release_any<cl_event>;
  table.clCreateUserEvent = create_user_event;
  table.clSetUserEventStatus = set_user_event_status;
  table.clSetEventCallback = set_event_callback;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clEnqueueNDRangeKernel = run_kernel;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = unmap;
  table.clEnqueueMigrateMemObjects = migrate;
  table.clEnqueueMarkerWithWaitList = table.clEnqueueBarrierWithWaitList = marker;
  return table;
}

}  // namespace

const cl_icd_dispatch* dispatch() {
  static const cl_icd_dispatch table = make_table();
  return &table;
}

}  // namespace runahead::host_opencl

// ---- what the loader and the tests look for ---------------------------------------------------------------

extern "C" {

__attribute__((visibility("default"))) runahead::host_opencl::HostOpenClControls*
runahead_host_opencl_controls() {
  return &runahead::host_opencl::controls();
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count,
                                                                                 cl_platform_id* out,
                                                                                 cl_uint* found) {
  return runahead::host_opencl::get_platform_ids(count, out, found);
}

__attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return std::string_view(name) == "clIcdGetPlatformIDsKHR" ? reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR)
                                                            : nullptr;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                            cl_platform_info what,
                                                                            std::size_t size, void* out,
                                                                            std::size_t* needed) {
  return runahead::host_opencl::get_platform_info(platform, what, size, out, needed);
}

}  // extern "C"
