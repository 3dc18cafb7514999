// The C interface of the CUDA device module (librunahead_cuda.so), opened at run time by cuda_loader, so that
// a missing CUDA library is a reason in `runahead devices` and not a program that does not start. The module
// is thin: streams, events, memory and one launch for each primitive of Arithmetic. What is made of them is
// CudaDevice's, on this side, and is tested with a module of the host's (tests/engine/device/host_cuda.h).
//
// Every function returns 0, or a status that error_text() puts into words; kRunaheadCudaNotReady of
// event_query alone is no error. Any thread, one stream at a time.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

inline constexpr std::uint32_t kRunaheadCudaModuleVersion = 4;

// One per device, filled by the module.
struct RunaheadCudaDevice {
  char name[256];
  std::int32_t compute_major, compute_minor, multiprocessors;
  std::uint64_t memory_bytes;
  char pci_bus_id[32];  // "0000:17:00.0"; empty: not known
};
struct RunaheadCudaDiscovery {
  std::int32_t device_count;  // 0 with a reason
  char reason[512];           // why there is none; empty if there is one
  std::int32_t driver_version, runtime_version;
  std::int32_t simulated;  // not 0: no GPU is behind them, and whoever shows them says so
  RunaheadCudaDevice devices[16];
};

// A primitive of Arithmetic, by value; what it does not say is not looked at. Those with `what` have the
// values of WithScalar and OfTwo there.
enum RunaheadCudaPrimitiveKind : std::int32_t {
  kRunaheadFill,              // out, count, scalar
  kRunaheadUniform,           // out, count, seed, random_stream, scalar (low), scalar2 (high)
  kRunaheadNormal,            // out, count, seed, random_stream, scalar (mean), scalar2 (deviation)
  kRunaheadWithScalar,        // what, a, scalar, out, count
  kRunaheadOfTwo,             // what, a, b, out, count
  kRunaheadSubtractScaled,    // out -= scalar * a, count
  kRunaheadAddRow,            // a (or null), b (the row), out, rows, columns
  kRunaheadMultiply,          // a, b, out, m, n, k, transpose_a, transpose_b, scalar (beta)
  kRunaheadTotal,             // a, count, divisor, out
  kRunaheadSumRows,           // a, rows, columns, out
  kRunaheadHalfSquaredError,  // a, b, rows, columns, out
};
struct RunaheadCudaPrimitive {
  std::int32_t kind = 0, what = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* out = nullptr;
  std::int64_t count = 0, rows = 0, columns = 0;
  std::int64_t m = 0, n = 0, k = 0;
  std::int32_t transpose_a = 0, transpose_b = 0;
  std::uint64_t seed = 0, random_stream = 0;
  double divisor = 0;
  float scalar = 0, scalar2 = 0;
};

inline constexpr std::int32_t kRunaheadCudaNotReady = -1;

struct RunaheadCudaApi {
  std::uint32_t module_version;
  // Never initialises a context.
  void (*discover)(RunaheadCudaDiscovery* out);
  const char* (*error_text)(std::int32_t status);  // static

  // A device in use; several for one number are one.
  std::int32_t (*open)(std::int32_t device, void** out);
  void (*close)(void* device);
  // Ordered behind nothing: what is given back is in no stream's use any more. null and no error: full.
  std::int32_t (*take_memory)(void* device, std::size_t bytes, void** out);
  std::int32_t (*give_memory)(void* device, void* memory);

  // Of the whole card, whoever uses it.
  std::int32_t (*card_memory)(void* device, std::uint64_t* free_bytes, std::uint64_t* total_bytes);
  std::int32_t (*make_stream)(void* device, void** out);  // none waits for another unless told
  void (*free_stream)(void* device, void* stream);
  // Its cudaStream_t; the device is the calling thread's current one from here on.
  std::int32_t (*native_stream)(void* device, void* stream, void** out);
  std::int32_t (*make_event)(void* device, void** out);
  void (*free_event)(void* device, void* event);
  std::int32_t (*record_event)(void* device, void* event, void* stream);
  std::int32_t (*query_event)(void* device, void* event);  // 0: all before it is done
  std::int32_t (*await_event)(void* device, void* event);  // the calling thread waits
  std::int32_t (*stream_awaits)(void* device, void* stream, void* event);
  // Between two events that are done.
  std::int32_t (*elapsed_ms)(void* device, void* from, void* to, float* out);

  std::int32_t (*launch)(void* device, void* stream, const RunaheadCudaPrimitive* primitive);
  // Between any two memories. Of pageable host memory it may return when that has been read or written.
  std::int32_t (*copy)(void* device, void* stream, void* to, const void* from, std::size_t bytes);
  // Called on a thread of the driver when the stream gets there; calls none of these functions.
  std::int32_t (*call)(void* device, void* stream, void (*function)(void* data), void* data);
  // Pins memory of the host, from a page's begin to a page's end, for all devices; and lets it go.
  std::int32_t (*pin)(void* memory, std::size_t bytes);
  std::int32_t (*unpin)(void* memory);
};
using RunaheadCudaGetApi = const RunaheadCudaApi* (*)();
inline constexpr const char* kRunaheadCudaApiSymbol = "runahead_cuda_api";

}  // extern "C"
