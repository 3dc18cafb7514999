// The C interface of a device module: librunahead_cuda.so (CUDA) and librunahead_opencl.so (OpenCL).
// module_loader opens the modules at run time. If a library of the vendor is missing, the program still
// starts, and `runahead devices` gives the reason. A module is thin: it offers only streams, events, memory
// and one launch per primitive of Arithmetic. The logic is in ModuleDevice, outside the modules. ModuleDevice
// is tested with the OpenCL module, and with a CUDA module simulated on the host
// (tests/host_cuda/host_cuda.h). The terms are those of CUDA; a stream is a queue of OpenCL.
//
// Every function returns 0, or a status that error_text() translates. Every status except 0 is an error, with
// one exception: kRunaheadNotReady of query_event. Threads: any thread may call a function, but only one
// thread at a time for each stream.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

inline constexpr std::uint32_t kRunaheadDeviceModuleVersion = 7;

// The module fills in one of these structs for each device.
struct RunaheadModuleDevice {
  char name[256];
  char detail[256];  // what else a user wants to know: "compute capability 9.0"
  std::uint64_t memory_bytes;
  char pci_bus_id[32];  // "0000:17:00.0"; empty: unknown
};
struct RunaheadDiscovery {
  std::int32_t device_count;  // 0: no device, and `reason` is set
  char reason[512];           // why there is no device; empty if there is one
  std::int32_t simulated;     // not 0: the devices are simulated without a GPU; tell the user
  RunaheadModuleDevice devices[16];
};

// A primitive of Arithmetic, passed by value. The comment on each kind lists the members of
// RunaheadPrimitive that it uses. The other members are ignored. `what` is a value of WithScalar or
// OfTwo.
enum RunaheadPrimitiveKind : std::int32_t {
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
struct RunaheadPrimitive {
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

inline constexpr std::int32_t kRunaheadNotReady = -1;
// Where record_event() puts an event. CUDA does not distinguish these.
inline constexpr std::int32_t kRunaheadBeforeWork = 0;  // the start of the next work on the stream
inline constexpr std::int32_t kRunaheadAfterWork = 1;   // the end of all work so far

struct RunaheadDeviceApi {
  std::uint32_t module_version;
  // Finds the devices without using a GPU: this function never initialises a CUDA context.
  void (*discover)(RunaheadDiscovery* out);
  const char* (*error_text)(std::int32_t status);  // a static string

  // Opens a device. If one index is opened several times, all results mean the same CUDA device.
  std::int32_t (*open)(std::int32_t device, void** out);
  void (*close)(void* device);
  // Allocates and frees memory. These calls are not ordered with the work of any stream. Therefore no stream
  // may still use the memory that is freed. If the card is full, take_memory may give null without an error.
  std::int32_t (*take_memory)(void* device, std::size_t bytes, void** out);
  std::int32_t (*give_memory)(void* device, void* memory);

  // Free and total memory of the whole card, shared by all processes.
  std::int32_t (*card_memory)(void* device, std::uint64_t* free_bytes, std::uint64_t* total_bytes);
  // a stream waits for another stream only if stream_awaits() was called
  std::int32_t (*make_stream)(void* device, void** out);
  void (*free_stream)(void* device, void* stream);
  // Gives the stream's cudaStream_t, for CUPTI, and makes the device the current one of the calling thread.
  // Another module than CUDA's gives null.
  std::int32_t (*native_stream)(void* device, void* stream, void** out);
  std::int32_t (*make_event)(void* device, void** out);
  void (*free_event)(void* device, void* event);
  // An event before work must be followed by one after it, on the same stream, before anything asks for it.
  std::int32_t (*record_event)(void* device, void* event, void* stream, std::int32_t where);
  std::int32_t (*query_event)(void* device, void* event);  // 0: all work before the event is done
  std::int32_t (*await_event)(void* device, void* event);  // blocks this thread until the event is done
  std::int32_t (*stream_awaits)(void* device, void* stream, void* event);
  // The milliseconds between two events, both of which are done.
  std::int32_t (*elapsed_ms)(void* device, void* from, void* to, float* out);

  std::int32_t (*launch)(void* device, void* stream, const RunaheadPrimitive* primitive);
  // Copies `bytes` bytes; `from` and `to` may be host memory or memory of any device. If `from` or `to` is
  // pageable host memory, the call may block until that memory has been read or written.
  std::int32_t (*copy)(void* device, void* stream, void* to, const void* from, std::size_t bytes);
  // Calls `function` on a thread of the driver when all earlier work of the stream is done. `function` must
  // not call this API.
  std::int32_t (*call)(void* device, void* stream, void (*function)(void* data), void* data);
  // Pins host memory for all devices. `memory` must be the start of a page. Only whole pages can be pinned,
  // so the whole last page is pinned. unpin() ends the pinning.
  std::int32_t (*pin)(void* memory, std::size_t bytes);
  std::int32_t (*unpin)(void* memory);
  // Not 0: take_memory() gave this status because the device has no memory left, and not because it is
  // broken. Null: so it is for every status.
  std::int32_t (*is_out_of_memory)(std::int32_t status);
  // When the driver got the command that an event before work belongs to, and when it gave the command to the
  // device: milliseconds after the event `from`, which may be negative. Both events are done. An error: the
  // driver does not know these times. Null: no driver of this module knows them.
  std::int32_t (*queue_times)(void* device, void* from, void* event, float* queued_ms, float* submitted_ms);
  // Blocks this thread until all work that was put on the stream has ended. Any thread may call it at any
  // time.
  std::int32_t (*await_stream)(void* device, void* stream);
  // Writes to memory of take_memory() for the first time, so that a kernel does not have to wait for its
  // pages. Null: the device's memory has no pages of the host.
  std::int32_t (*touch_memory)(void* device, void* memory, std::size_t bytes);
};
using RunaheadGetDeviceApi = const RunaheadDeviceApi* (*)();
inline constexpr const char* kRunaheadDeviceApiSymbol = "runahead_device_api";

}  // extern "C"
