// The OpenCL module: the functions of device_module.h for OpenCL 1.2 and later. It links with the loader of
// OpenCL drivers (libOpenCL.so.1), which opens the drivers of this machine.
#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "engine/device/device_module.h"
#include "engine/device/opencl/devices.h"
#include "engine/device/opencl/queue.h"
#include "engine/device/opencl/start_wait.h"

namespace runahead::engine::opencl {
namespace {

struct Handle {
  std::shared_ptr<OpenDevice> device;
};
const std::shared_ptr<OpenDevice>& device_of(void* device) { return static_cast<Handle*>(device)->device; }
Stream& stream_of(void* stream) { return *static_cast<Stream*>(stream); }
Point& point_of(void* event) { return *static_cast<Point*>(event); }

std::int32_t open(std::int32_t index, void** out) {
  auto handle = std::unique_ptr<Handle>(new (std::nothrow) Handle);
  if (handle == nullptr) return kNoHostMemory;
  const std::int32_t status = open_device(index, handle->device);
  if (status == 0) *out = handle.release();
  return status;
}
void close(void* device) { delete static_cast<Handle*>(device); }

std::int32_t take(void* device, std::size_t bytes, void** out) {
  return take_memory(device_of(device), bytes, out);
}
std::int32_t give(void*, void* memory) { return give_memory(memory); }
std::int32_t touch(void*, void* memory, std::size_t bytes) { return touch_memory(memory, bytes); }
// Drivers also call a buffer that is too large a lack of resources.
std::int32_t is_out_of_memory(std::int32_t status) {
  constexpr std::array kErrors{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                               CL_INVALID_BUFFER_SIZE};
  if (status == kNoHostMemory) return 1;
  return std::ranges::any_of(kErrors, [&](cl_int error) { return status == status_of(error); }) ? 1 : 0;
}
// OpenCL 1.2 does not say how much memory is free.
std::int32_t card_memory(void*, std::uint64_t*, std::uint64_t*) { return status_of(CL_INVALID_OPERATION); }

std::int32_t make_stream(void* device, void** out) {
  std::unique_ptr<Stream> made;
  const std::int32_t status = Stream::make(device_of(device), made);
  if (status == 0) *out = made.release();
  return status;
}
void free_stream(void*, void* stream) { delete static_cast<Stream*>(stream); }
std::int32_t native_stream(void*, void*, void** out) {
  *out = nullptr;  // CUPTI does not know this stream
  return 0;
}

std::int32_t make_event(void*, void** out) {
  *out = new (std::nothrow) Point;
  return *out != nullptr ? 0 : kNoHostMemory;
}
void free_event(void*, void* event) { delete static_cast<Point*>(event); }

std::int32_t record_event(void*, void* event, void* stream, std::int32_t where) {
  if (where == kRunaheadBeforeWork) {
    stream_of(stream).start_point(point_of(event));
    return 0;
  }
  return stream_of(stream).end_point(point_of(event));
}

std::int32_t query_event(void*, void* event) {
  const Point& point = point_of(event);
  cl_int state = CL_QUEUED;
  if (const cl_int error = read_state(point.command.get(), state); error != CL_SUCCESS)
    return status_of(error);
  if (state < CL_COMPLETE) return status_of(state);
  return state <= (point.at_start ? CL_RUNNING : CL_COMPLETE) ? 0 : kRunaheadNotReady;
}

std::int32_t await_event(void* device, void* event) {
  const Point& point = point_of(event);
  cl_event const command = point.command.get();
  if (point.at_start) {
    wait_for_start(command);
    // A driver may make its call before it changes the state. Then only the end can be awaited.
    if (const std::int32_t status = query_event(device, event); status != kRunaheadNotReady) return status;
  }
  const cl_int error = clWaitForEvents(1, &command);
  if (error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return query_event(device, event);
  return status_of(error);
}

std::int32_t stream_awaits(void*, void* stream, void* event) {
  return stream_of(stream).await(point_of(event));
}

std::int32_t await_stream(void*, void* stream) { return stream_of(stream).finish(); }

cl_int moment_of(const Point& point, cl_profiling_info moment, cl_ulong& out_ns) {
  return clGetEventProfilingInfo(point.command.get(), moment, sizeof out_ns, &out_ns, nullptr);
}

cl_int time_of(const Point& point, cl_ulong& out_ns) {
  return moment_of(point, point.at_start ? CL_PROFILING_COMMAND_START : CL_PROFILING_COMMAND_END, out_ns);
}

float ms_between(cl_ulong from_ns, cl_ulong to_ns) {
  return static_cast<float>(static_cast<double>(static_cast<std::int64_t>(to_ns - from_ns)) / 1e6);
}

std::int32_t elapsed_ms(void*, void* from, void* to, float* out) {
  cl_ulong from_ns = 0, to_ns = 0;
  cl_int error = time_of(point_of(from), from_ns);
  if (error == CL_SUCCESS) error = time_of(point_of(to), to_ns);
  *out = ms_between(from_ns, to_ns);
  return status_of(error);
}

std::int32_t queue_times(void*, void* from, void* event, float* queued_ms, float* submitted_ms) {
  cl_ulong from_ns = 0, queued_ns = 0, submitted_ns = 0;
  cl_int error = time_of(point_of(from), from_ns);
  if (error == CL_SUCCESS) error = moment_of(point_of(event), CL_PROFILING_COMMAND_QUEUED, queued_ns);
  if (error == CL_SUCCESS) error = moment_of(point_of(event), CL_PROFILING_COMMAND_SUBMIT, submitted_ns);
  // A driver that does not know a moment gives 0.
  if (error == CL_SUCCESS && (queued_ns == 0 || submitted_ns == 0)) error = CL_PROFILING_INFO_NOT_AVAILABLE;
  *queued_ms = ms_between(from_ns, queued_ns);
  *submitted_ms = ms_between(from_ns, submitted_ns);
  return status_of(error);
}

std::int32_t launch(void*, void* stream, const RunaheadPrimitive* primitive) {
  return stream_of(stream).launch(*primitive);
}
std::int32_t copy(void*, void* stream, void* to, const void* from, std::size_t bytes) {
  return stream_of(stream).copy(to, from, bytes);
}
std::int32_t call(void*, void* stream, void (*function)(void* data), void* data) {
  return stream_of(stream).call(function, data);
}

constexpr RunaheadDeviceApi kApi{.module_version = kRunaheadDeviceModuleVersion,
                                 .discover = discover,
                                 .error_text = error_text,
                                 .open = open,
                                 .close = close,
                                 .take_memory = take,
                                 .give_memory = give,
                                 .card_memory = card_memory,
                                 .make_stream = make_stream,
                                 .free_stream = free_stream,
                                 .native_stream = native_stream,
                                 .make_event = make_event,
                                 .free_event = free_event,
                                 .record_event = record_event,
                                 .query_event = query_event,
                                 .await_event = await_event,
                                 .stream_awaits = stream_awaits,
                                 .elapsed_ms = elapsed_ms,
                                 .launch = launch,
                                 .copy = copy,
                                 .call = call,
                                 .pin = pin,
                                 .unpin = unpin,
                                 .is_out_of_memory = is_out_of_memory,
                                 .queue_times = queue_times,
                                 .await_stream = await_stream,
                                 .touch_memory = touch};

}  // namespace
}  // namespace runahead::engine::opencl

extern "C" __attribute__((visibility("default"))) const RunaheadDeviceApi* runahead_device_api() {
  return &runahead::engine::opencl::kApi;
}
