// The CUPTI module: the only code of this program that is linked with CUPTI (never with the driver library).
#include "instrumentation/cupti/cupti_module.h"

#include <cupti.h>
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "instrumentation/cupti/activity_buffers.h"
#include "instrumentation/cupti/translate.h"

namespace {

using runahead::cupti::ActivityBuffers;
using runahead::cupti::FullBuffer;
using runahead::cupti::kClockShiftNs;
using runahead::cupti::Record;

struct Kind {
  CUpti_ActivityKind kind;
  const char* name;
};
// The kinds of activity to record, in the order in which they are switched on. Kernels come first: if CUPTI
// refuses kernels, nothing is recorded. CONCURRENT_KERNEL is used, because KERNEL makes kernels run one by
// one. Contexts and streams come before the runtime calls, because some of these calls create contexts and
// streams. Graphs are recorded node by node, not as a whole.
constexpr Kind kKinds[] = {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
                           {CUPTI_ACTIVITY_KIND_DEVICE, "devices"},
                           {CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
                           {CUPTI_ACTIVITY_KIND_STREAM, "streams"},
                           {CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
                           {CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices"},
                           {CUPTI_ACTIVITY_KIND_MEMSET, "memsets"},
                           {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "external correlation"},
                           {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronisation"},
                           {CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead"},
                           {CUPTI_ACTIVITY_KIND_MEMORY2, "memory"},
                           {CUPTI_ACTIVITY_KIND_MARKER, "NVTX ranges"},
                           {CUPTI_ACTIVITY_KIND_RUNTIME, "runtime calls"}};
// The driver calls that are recorded: they launch work, or wait, in programs that do not use the runtime API
// (JAX, Triton).
constexpr CUpti_CallbackId kDriverCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,
                                             CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
                                             CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                                             CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize};
// Runtime calls that are not recorded: programs make these calls constantly, and the calls do no work.
constexpr CUpti_CallbackId kMutedCalls[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v12080,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreate_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventDestroy_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
    CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaThreadExchangeStreamCaptureMode_v10010,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000};

// The process has one instance, which is never destroyed: CUPTI may call back until the process ends.
struct Module {
  std::mutex control;                        // guards start and stop; lock order: before every other mutex
  bool registered = false, running = false;  // guarded by control
  // `sink` and `period` are written under `control` while no reader thread runs. The reader reads them
  // without a lock.
  RunaheadCuptiSink sink{};
  std::chrono::milliseconds period{50};
  std::thread reader;   // guarded by control
  std::string refused;  // guarded by state_mutex

  std::mutex state_mutex;
  std::condition_variable wake;                      // used with state_mutex
  bool stopping = false;                             // guarded by state_mutex
  std::atomic<ActivityBuffers*> buffers{nullptr};    // set once, before CUPTI gets the callbacks
  std::atomic<std::uint64_t (*)()> now_ns{nullptr};  // set once, before CUPTI gets the callbacks
  // Written by the reader, read by any thread. Relaxed memory order is enough, because these values are only
  // displayed.
  std::atomic<std::int64_t> clock_error_ns{0};
  std::atomic<std::uint64_t> lost{0};
};
Module& module() {
  static Module& instance = *new Module;
  return instance;
}

std::string text_of(CUptiResult result) {
  const char* text = nullptr;
  if (cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown";
  return std::string(text) + " (CUPTI error " + std::to_string(static_cast<int>(result)) + ")";
}

bool driver_is_here() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) ::dlclose(driver);
  return driver != nullptr;
}

std::string why_not(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is attached to this process (CUPTI error 39), and CUPTI serves one; run "
             "without Nsight or the framework's own profiler";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the driver lets only an administrator profile (CUPTI error 35); load the nvidia module with "
             "NVreg_RestrictProfilingToAdminUsers=0, or in a container add --cap-add=SYS_ADMIN";
    default:
      break;
  }
  if (!driver_is_here())
    return "no NVIDIA driver here (libcuda.so.1 is not found); install the driver and check that nvidia-smi "
           "lists a GPU";
  if (result == CUPTI_ERROR_UNKNOWN || result == CUPTI_ERROR_NOT_INITIALIZED)
    return "CUDA does not start here: " + text_of(result) + "; check that nvidia-smi lists a GPU";
  return "CUPTI refuses: " + text_of(result) + "; see docs/cupti.md";
}

// ---- what CUPTI calls ---------------------------------------------------------------------------------
void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  ActivityBuffers& buffers = *module().buffers.load(std::memory_order_acquire);
  *buffer = buffers.give(static_cast<std::int64_t>(module().now_ns.load(std::memory_order_relaxed)()));
  *size = *buffer != nullptr ? buffers.buffer_bytes() : 0;
  *most_records = 0;  // 0: as many records as fit
}
void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  module().buffers.load(std::memory_order_acquire)->filled({buffer, used});
}
std::uint64_t CUPTIAPI clock_for_cupti() {
  return module().now_ns.load(std::memory_order_relaxed)() + static_cast<std::uint64_t>(kClockShiftNs);
}

template <typename Take>
void for_each_record(const FullBuffer& buffer, Take take) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer.bytes, buffer.used, &record) == CUPTI_SUCCESS) take(*record);
}
std::uint64_t count_records(const FullBuffer& buffer) {
  std::uint64_t count = 0;
  for_each_record(buffer, [&](const CUpti_Activity&) { ++count; });
  return count;
}

// ---- the reader ---------------------------------------------------------------------------------------
void measure_clock_error() {
  Module& m = module();
  const std::uint64_t before = clock_for_cupti();
  std::uint64_t theirs = 0;
  if (cuptiGetTimestamp(&theirs) != CUPTI_SUCCESS) return;
  const std::uint64_t after = clock_for_cupti();
  const auto outside = static_cast<std::int64_t>(theirs < before  ? before - theirs
                                                 : theirs > after ? theirs - after
                                                                  : 0);
  if (outside > m.clock_error_ns.load(std::memory_order_relaxed))
    m.clock_error_ns.store(outside, std::memory_order_relaxed);
}

// A kernel that runs for long keeps a buffer at CUPTI. The timeline does not wait for it longer than this
// time.
constexpr std::int64_t kMostHeldBackNs = 1'000'000'000;

// While this function calls CUPTI, it holds no lock that a callback needs.
void deliver(bool forced) {
  Module& m = module();
  ActivityBuffers& buffers = *m.buffers.load(std::memory_order_relaxed);
  const auto now_ns = static_cast<std::int64_t>(m.now_ns.load(std::memory_order_relaxed)());
  cuptiActivityFlushAll(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : CUPTI_ACTIVITY_FLAG_NONE);
  measure_clock_error();
  while (const auto buffer = buffers.next()) {
    for_each_record(*buffer, [&](const CUpti_Activity& activity) {
      Record record{};
      if (runahead::cupti::translate(activity, record)) m.sink.take(m.sink.user, &record);
    });
    buffers.give_back(buffer->bytes);
  }
  std::size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) != CUPTI_SUCCESS) dropped = 0;
  const std::int64_t complete_ns =
      std::max(std::min(now_ns, buffers.oldest_given_ns()), now_ns - kMostHeldBackNs);
  const std::uint64_t lost = dropped + buffers.take_lost();
  m.lost.fetch_add(lost, std::memory_order_relaxed);
  m.sink.delivered(m.sink.user, lost, complete_ns);
}

void read_until_stopped() {
  Module& m = module();
  for (;;) {
    {
      std::unique_lock lock(m.state_mutex);
      if (m.wake.wait_for(lock, m.period, [&] { return m.stopping; })) return;
    }
    deliver(false);
  }
}

// ---- switching on and off -----------------------------------------------------------------------------
// Registers callbacks and clock only once in the process, because setting the clock again corrupts records.
CUptiResult register_once(const RunaheadCuptiOptions& options) {
  Module& m = module();
  if (m.registered) return CUPTI_SUCCESS;
  m.now_ns.store(options.now_ns);
  if (m.buffers.load() == nullptr)
    m.buffers.store(new ActivityBuffers(options.buffer_bytes, options.most_bytes, count_records));
  if (const CUptiResult clock = cuptiActivityRegisterTimestampCallback(clock_for_cupti);
      clock != CUPTI_SUCCESS)
    return clock;
  if (const CUptiResult callbacks = cuptiActivityRegisterCallbacks(request_buffer, complete_buffer);
      callbacks != CUPTI_SUCCESS)
    return callbacks;
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  m.registered = true;
  return CUPTI_SUCCESS;
}

void switch_off() {
  for (const Kind& kind : kKinds) cuptiActivityDisable(kind.kind);
  for (const CUpti_CallbackId call : kDriverCalls) cuptiActivityEnableDriverApi(call, 0);
}

// If CUPTI refuses a kind of activity, the refusal is reported and recording continues. Exception: without
// kernels nothing is recorded.
CUptiResult switch_on() {
  std::string refused;
  for (const Kind& kind : kKinds) {
    const CUptiResult result = cuptiActivityEnable(kind.kind);
    if (result == CUPTI_SUCCESS) continue;
    if (&kind == kKinds) return result;
    refused += (refused.empty() ? "" : "; ") + std::string(kind.name) + ": " + text_of(result);
  }
  for (const CUpti_CallbackId call : kDriverCalls) {
    if (const CUptiResult result = cuptiActivityEnableDriverApi(call, 1); result != CUPTI_SUCCESS) {
      refused +=
          (refused.empty() ? "" : "; ") + std::string("launches by the driver API: ") + text_of(result);
      break;
    }
  }
  for (const CUpti_CallbackId call : kMutedCalls) cuptiActivityEnableRuntimeApi(call, 0);
  // A program that polls an event would otherwise make a record with each query.
  cuptiActivityEnableAllSyncRecords(0);
  const std::lock_guard lock(module().state_mutex);
  module().refused = std::move(refused);
  return CUPTI_SUCCESS;
}

// Returns an error text if the loaded CUPTI is older than the CUPTI of this build, because its records may
// differ. Empty: no error.
std::string version_reason(std::uint32_t version) {
  if (version >= CUPTI_API_VERSION) return {};
  return "the libcupti that is loaded is version " + std::to_string(version) + ", older than " +
         std::to_string(CUPTI_API_VERSION) +
         " that this was built with; put that one's folder first in LD_LIBRARY_PATH";
}

void say(RunaheadCuptiStatus* out, const std::string& reason) {
  std::snprintf(out->reason, sizeof out->reason, "%s", reason.c_str());
}

void fill_status(RunaheadCuptiStatus* out) {
  Module& m = module();
  *out = {};
  out->module_version = kRunaheadCuptiModuleVersion;
  cuptiGetVersion(&out->cupti_version);
  out->clock_error_ns = m.clock_error_ns.load(std::memory_order_relaxed);
  out->lost = m.lost.load(std::memory_order_relaxed);
  const ActivityBuffers* const buffers = m.buffers.load(std::memory_order_acquire);
  out->buffer_bytes = buffers != nullptr ? buffers->held_bytes() : 0;
  const std::lock_guard lock(m.state_mutex);
  std::snprintf(out->refused, sizeof out->refused, "%s", m.refused.c_str());
}

// ---- the module's functions ---------------------------------------------------------------------------
void probe(const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out) {
  Module& m = module();
  const std::lock_guard lock(m.control);
  fill_status(out);
  if (m.running) return;
  if (const std::string reason = version_reason(out->cupti_version); !reason.empty()) return say(out, reason);
  if (!driver_is_here()) return say(out, why_not(CUPTI_ERROR_UNKNOWN));
  if (const CUptiResult result = register_once(*options); result != CUPTI_SUCCESS)
    return say(out, why_not(result));
  const CUptiResult result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) return say(out, why_not(result));
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

int start(const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out) {
  Module& m = module();
  const std::lock_guard lock(m.control);
  fill_status(out);
  if (m.running) return say(out, "CUPTI records already in this process; stop that first"), 0;
  if (const std::string reason = version_reason(out->cupti_version); !reason.empty())
    return say(out, reason), 0;
  CUptiResult result = register_once(*options);
  if (result == CUPTI_SUCCESS) result = switch_on();
  if (result != CUPTI_SUCCESS) return say(out, why_not(result)), 0;
  m.sink = *sink;
  m.period = std::chrono::milliseconds(std::max<std::uint32_t>(1, options->flush_period_ms));
  m.running = true;
  m.stopping = false;
  // The reader blocks all signals: they are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  m.reader = std::thread(read_until_stopped);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  fill_status(out);
  return 1;
}

void stop() {
  Module& m = module();
  const std::lock_guard lock(m.control);
  if (!m.running) return;
  {
    const std::lock_guard state(m.state_mutex);
    m.stopping = true;
  }
  m.wake.notify_all();
  m.reader.join();
  switch_off();
  deliver(true);
  m.sink = {};
  m.running = false;
}

void push_op(std::uint64_t op) {
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, op);
}
void pop_op() {
  std::uint64_t last = 0;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}
int find_stream(void* stream, RunaheadCuptiStream* out) {
  const auto handle = static_cast<CUstream>(stream);
  return cuptiGetDeviceId(nullptr, &out->device) == CUPTI_SUCCESS &&
         cuptiGetStreamIdEx(nullptr, handle, 0, &out->stream) == CUPTI_SUCCESS;
}

constexpr RunaheadCuptiModule kModule{.module_version = kRunaheadCuptiModuleVersion,
                                      .probe = probe,
                                      .start = start,
                                      .stop = stop,
                                      .status = fill_status,
                                      .push_op = push_op,
                                      .pop_op = pop_op,
                                      .find_stream = find_stream};

}  // namespace

extern "C" __attribute__((visibility("default"))) const RunaheadCuptiModule* runahead_cupti_module() {
  return &kModule;
}
