// The CUDA module: the only code of this project that links with the CUDA runtime and cuBLAS. It never links
// with the driver library, so it also loads on a machine without a driver.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

#include "engine/device/cuda_kernels.h"
#include "engine/device/device_module.h"

namespace runahead::engine {
namespace {

// The module's own status values. They are negative, because CUDA's status values are positive.
constexpr std::int32_t kNoHostMemory = -2;
constexpr std::int32_t kBlasFirst = -1000;  // status kBlasFirst - s means the cublasStatus_t s

std::int32_t status_of(cudaError_t error) {
  // cudaGetLastError() clears the error, so that the next call does not report the error again
  if (error != cudaSuccess) (void)cudaGetLastError();
  return static_cast<std::int32_t>(error);
}
std::int32_t status_of(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? 0 : kBlasFirst - static_cast<std::int32_t>(status);
}

const char* error_text(std::int32_t status) {
  if (status <= kBlasFirst) return cublasGetStatusString(static_cast<cublasStatus_t>(kBlasFirst - status));
  if (status == kNoHostMemory) return "the host has no memory left";
  if (status == kRunaheadNotReady) return "not ready";
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}

struct OpenDevice {
  int index = 0;
  // true: CUDA's memory pools are used; allocations from these pools are ordered on a stream
  bool pools = false;
  cudaStream_t memory = nullptr;  // the stream that orders the allocations from CUDA's pools
  bool reaches_all = true;        // false: at least one other card's memory cannot be reached from this card
};

struct Stream {
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  double* sum_parts = nullptr;
};

OpenDevice& device_of(void* device) { return *static_cast<OpenDevice*>(device); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

// Makes the device the current one of the calling thread.
cudaError_t use(void* device) { return cudaSetDevice(device_of(device).index); }

// Makes the calls in order, until one fails. Returns the last status.
template <typename... Calls>
cudaError_t in_turn(Calls... calls) {
  cudaError_t error = cudaSuccess;
  (void)(((error = calls()) == cudaSuccess) && ...);
  return error;
}

// ---- devices ----------------------------------------------------------------------------------------------

bool has_pools(int index) {
  int pools = 0;
  return cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, index) == cudaSuccess && pools != 0;
}

// Lets the card `index` reach memory of `other` that was allocated from a pool. A pool's memory does not
// follow cudaDeviceEnablePeerAccess().
cudaError_t open_pool(int index, int other) {
  cudaMemPool_t pool = nullptr;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = index;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return in_turn([&] { return cudaDeviceGetMemPool(&pool, other); },
                 [&] { return cudaMemPoolSetAccess(pool, &access, 1); });
}

// Lets the current card, `index`, reach the memory of `other`. False: CUDA refuses.
bool let_reach(int index, int other) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, index, other) != cudaSuccess || can == 0) return false;
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
  if (enabled != cudaSuccess && enabled != cudaErrorPeerAccessAlreadyEnabled) return false;
  return !has_pools(other) || open_pool(index, other) == cudaSuccess;
}

// Enables direct copies between cards, so that copies do not have to go through the host. Returns false if
// CUDA refuses for one of the other cards: then copy() leaves the way to CUDA.
bool let_reach_others(int index) {
  int count = 0;
  bool all = cudaGetDeviceCount(&count) == cudaSuccess;
  for (int other = 0; other < count; ++other) {
    if (other != index) all = let_reach(index, other) && all;
  }
  (void)cudaGetLastError();
  return all;
}

std::int32_t open(std::int32_t index, void** out) {
  std::unique_ptr<OpenDevice> device(new (std::nothrow) OpenDevice{.index = index});
  if (device == nullptr) return kNoHostMemory;
  const cudaError_t error =
      in_turn([&] { return cudaSetDevice(index); }, [] { return cudaFree(nullptr); },
              [&] { return cudaStreamCreateWithFlags(&device->memory, cudaStreamNonBlocking); });
  if (error != cudaSuccess) return status_of(error);
  device->pools = has_pools(index);
  device->reaches_all = let_reach_others(index);
  *out = device.release();
  return 0;
}

void close(void* device) {
  const std::unique_ptr<OpenDevice> mine(&device_of(device));
  if (use(device) == cudaSuccess) (void)cudaStreamDestroy(mine->memory);
}

std::int32_t take_memory(void* device, std::size_t bytes, void** out) {
  const OpenDevice& of = device_of(device);
  if (!of.pools)
    return status_of(in_turn([&] { return use(device); }, [&] { return cudaMalloc(out, bytes); }));
  const cudaError_t taken =
      in_turn([&] { return use(device); }, [&] { return cudaMallocAsync(out, bytes, of.memory); });
  if (taken != cudaSuccess) return status_of(taken);
  // After this wait, any stream may use the memory.
  const cudaError_t waited = cudaStreamSynchronize(of.memory);
  if (waited != cudaSuccess) {
    (void)cudaFreeAsync(*out, of.memory);  // the first failure is told
    *out = nullptr;
  }
  return status_of(waited);
}

std::int32_t is_out_of_memory(std::int32_t status) {
  return status == kNoHostMemory || status == static_cast<std::int32_t>(cudaErrorMemoryAllocation) ? 1 : 0;
}

std::int32_t give_memory(void* device, void* memory) {
  const OpenDevice& of = device_of(device);
  return status_of(in_turn([&] { return use(device); },
                           [&] { return of.pools ? cudaFreeAsync(memory, of.memory) : cudaFree(memory); }));
}

std::int32_t card_memory(void* device, std::uint64_t* free_bytes, std::uint64_t* total_bytes) {
  std::size_t free = 0, total = 0;
  const cudaError_t error =
      in_turn([&] { return use(device); }, [&] { return cudaMemGetInfo(&free, &total); });
  *free_bytes = free;
  *total_bytes = total;
  return status_of(error);
}

// ---- streams and events -----------------------------------------------------------------------------------

void free_stream(void* device, void* stream) {
  Stream* const mine = static_cast<Stream*>(stream);
  if (use(device) == cudaSuccess) {
    if (mine->blas != nullptr) (void)cublasDestroy(mine->blas);
    if (mine->sum_parts != nullptr) (void)cudaFree(mine->sum_parts);
    if (mine->stream != nullptr) (void)cudaStreamDestroy(mine->stream);
  }
  delete mine;
}

std::int32_t make_stream(void* device, void** out) {
  auto* const made = new (std::nothrow) Stream;
  if (made == nullptr) return kNoHostMemory;
  std::int32_t status = status_of(
      in_turn([&] { return use(device); },
              [&] { return cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking); },
              [&] { return cudaMalloc(reinterpret_cast<void**>(&made->sum_parts), kSumPartsBytes); }));
  if (status == 0) status = status_of(cublasCreate(&made->blas));
  if (status == 0) status = status_of(cublasSetStream(made->blas, made->stream));
  if (status != 0) {
    free_stream(device, made);
    return status;
  }
  *out = made;
  return 0;
}

std::int32_t native_stream(void* device, void* stream, void** out) {
  *out = static_cast<Stream*>(stream)->stream;
  return status_of(use(device));
}

// A thread that waits for this event sleeps; it does not spin.
std::int32_t make_event(void* device, void** out) {
  return status_of(in_turn(
      [&] { return use(device); },
      [&] { return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(out), cudaEventBlockingSync); }));
}

void free_event(void* device, void* event) {
  if (use(device) == cudaSuccess) (void)cudaEventDestroy(event_of(event));
}

std::int32_t record_event(void* device, void* event, void* stream, std::int32_t /*where*/) {
  return status_of(
      in_turn([&] { return use(device); },
              [&] { return cudaEventRecord(event_of(event), static_cast<Stream*>(stream)->stream); }));
}

std::int32_t query_event(void* device, void* event) {
  const cudaError_t error =
      in_turn([&] { return use(device); }, [&] { return cudaEventQuery(event_of(event)); });
  return error == cudaErrorNotReady ? kRunaheadNotReady : status_of(error);
}

std::int32_t await_event(void* device, void* event) {
  return status_of(
      in_turn([&] { return use(device); }, [&] { return cudaEventSynchronize(event_of(event)); }));
}

std::int32_t stream_awaits(void* device, void* stream, void* event) {
  return status_of(
      in_turn([&] { return use(device); },
              [&] { return cudaStreamWaitEvent(static_cast<Stream*>(stream)->stream, event_of(event), 0); }));
}

std::int32_t await_stream(void* device, void* stream) {
  return status_of(in_turn([&] { return use(device); },
                           [&] { return cudaStreamSynchronize(static_cast<Stream*>(stream)->stream); }));
}

std::int32_t elapsed_ms(void* device, void* from, void* to, float* out) {
  return status_of(in_turn([&] { return use(device); },
                           [&] { return cudaEventElapsedTime(out, event_of(from), event_of(to)); }));
}

// ---- work -------------------------------------------------------------------------------------------------

// cuBLAS reads matrices in column-major order. A row-major matrix A, read in this order, is its transpose A'.
// Therefore C = A B is computed as C' = B' A'.
std::int32_t multiply(const Stream& stream, const RunaheadPrimitive& p) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (p.m > kMost || p.n > kMost || p.k > kMost) return status_of(CUBLAS_STATUS_INVALID_VALUE);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const auto how = [](std::int32_t transpose) { return transpose != 0 ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const float one = 1.0f, beta = p.scalar;
  return status_of(cublasSgemm(stream.blas, how(p.transpose_b), how(p.transpose_a), n, m, k, &one, p.b,
                               p.transpose_b != 0 ? k : n, p.a, p.transpose_a != 0 ? m : k, &beta, p.out, n));
}

std::int32_t launch(void* device, void* stream, const RunaheadPrimitive* primitive) {
  if (const cudaError_t error = use(device); error != cudaSuccess) return status_of(error);
  const Stream& on = *static_cast<Stream*>(stream);
  if (primitive->kind == kRunaheadMultiply) return multiply(on, *primitive);
  return status_of(launch_kernel(*primitive, on.sum_parts, on.stream));
}

// The card that this memory is on; -1: it is host memory.
int card_of(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess)
    return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
  (void)cudaGetLastError();
  return -1;
}

// cudaMemcpyAsync() needs access to both ends if they are memory of a pool. cudaMemcpyPeerAsync() does not.
std::int32_t copy(void* device, void* stream, void* to, const void* from, std::size_t bytes) {
  if (const cudaError_t error = use(device); error != cudaSuccess) return status_of(error);
  cudaStream_t const on = static_cast<Stream*>(stream)->stream;
  if (!device_of(device).reaches_all) {
    const int to_card = card_of(to), from_card = card_of(from);
    if (to_card >= 0 && from_card >= 0 && to_card != from_card)
      return status_of(cudaMemcpyPeerAsync(to, to_card, from, from_card, bytes, on));
  }
  return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on));
}

std::int32_t call(void* device, void* stream, void (*function)(void* data), void* data) {
  return status_of(
      in_turn([&] { return use(device); },
              [&] { return cudaLaunchHostFunc(static_cast<Stream*>(stream)->stream, function, data); }));
}

std::int32_t pin(void* memory, std::size_t bytes) {
  return status_of(cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
}
std::int32_t unpin(void* memory) { return status_of(cudaHostUnregister(memory)); }

void say_why(cudaError_t error, RunaheadDiscovery& out) {
  if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice) {
    // The runtime may return either of the two codes in both cases: without a driver, and with a driver but
    // no GPU. Therefore the text names both causes.
    std::snprintf(
        out.reason, sizeof out.reason,
        "no NVIDIA driver or no GPU here (%s); install the driver and check that nvidia-smi lists a GPU",
        cudaGetErrorString(error));
  } else {
    std::snprintf(out.reason, sizeof out.reason,
                  "CUDA does not start: %s (error %d); check the driver with nvidia-smi",
                  cudaGetErrorString(error), static_cast<int>(error));
  }
}

void discover(RunaheadDiscovery* out) {
  *out = {};
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    say_why(error != cudaSuccess ? error : cudaErrorNoDevice, *out);
    return;
  }
  constexpr int kMost = std::size(RunaheadDiscovery{}.devices);
  out->device_count = count < kMost ? count : kMost;
  for (int i = 0; i < out->device_count; ++i) {
    cudaDeviceProp properties{};
    RunaheadModuleDevice& device = out->devices[i];
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    std::snprintf(device.name, sizeof device.name, "%s", properties.name);
    std::snprintf(device.detail, sizeof device.detail, "compute capability %d.%d", properties.major,
                  properties.minor);
    device.memory_bytes = properties.totalGlobalMem;
    if (cudaDeviceGetPCIBusId(device.pci_bus_id, sizeof device.pci_bus_id, i) != cudaSuccess)
      device.pci_bus_id[0] = '\0';
  }
}

constexpr RunaheadDeviceApi kApi{.module_version = kRunaheadDeviceModuleVersion,
                                 .discover = discover,
                                 .error_text = error_text,
                                 .open = open,
                                 .close = close,
                                 .take_memory = take_memory,
                                 .give_memory = give_memory,
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
                                 .await_stream = await_stream};

}  // namespace
}  // namespace runahead::engine

extern "C" __attribute__((visibility("default"))) const RunaheadDeviceApi* runahead_device_api() {
  return &runahead::engine::kApi;
}
