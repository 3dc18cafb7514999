// CUPTI's records in plain types of our own. The module that is linked with CUPTI produces them; tests make
// them by hand. No CUPTI types, so that the decoder can be built and tested everywhere.
//
// Times are ns of TickClock; CUPTI is told to use this clock. Ids are CUPTI's. A call and the work that it
// launched share a correlation id, 0 means none. A stream's id is unique in its context. Texts are valid
// during the call that passes the record.
#pragma once

#include <cstdint>

namespace runahead::cupti {

enum class RecordKind : std::uint32_t {
  kKernel,
  kCopy,  // also between devices
  kMemset,
  kGraph,  // a whole graph as one item of work
  kSynchronization,
  kCall,
  kExternalCorrelation,
  kMemory,
  kOverhead,
  kMarker,
  kDevice,
  kContext,
  kStream,
};

enum class CopyKind : std::uint8_t { kUnknown, kToDevice, kToHost, kOnDevice, kOnHost, kBetweenDevices };
enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };
enum class SynchronizationKind : std::uint8_t { kUnknown, kEvent, kStreamWaitsForEvent, kStream, kContext };
enum class MarkerKind : std::uint8_t { kInstant, kBegin, kEnd };
inline constexpr std::uint32_t kNoStream = 0xffffffffu;

// Work says when and where a piece of work ran, and what launched it.
struct Work {
  std::int64_t begin_ns, end_ns;  // both 0: the device could not record them
  std::uint32_t device, context, stream, correlation;
  std::uint32_t graph;       // 0: not part of a graph
  std::uint64_t graph_node;  // 0: none
};
struct KernelRecord {
  Work work;
  const char* name;  // mangled, for C++
  std::int32_t grid[3], block[3];
  std::uint32_t registers_per_thread;
  std::uint32_t static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread;
};
struct CopyRecord {
  Work work;
  std::uint64_t bytes;
  CopyKind kind;
  MemoryKind from, to;
  bool asynchronous;                     // as the caller asked for
  std::uint32_t from_device, to_device;  // kBetweenDevices only
};
struct MemsetRecord {
  Work work;
  std::uint64_t bytes;
  std::uint32_t value;
  MemoryKind memory;
  bool asynchronous;
};
struct GraphRecord {
  Work work;
};
struct SynchronizationRecord {
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation, context;
  std::uint32_t stream, event;  // kNoStream and 0 mean none
  SynchronizationKind kind;
};
struct CallRecord {
  std::int64_t begin_ns, end_ns;
  const char* name;  // such as "cudaLaunchKernel"
  std::uint32_t correlation;
  std::int64_t tid;  // kernel thread number
  std::int32_t result;
  bool driver;  // a call of the driver API, not of the runtime
};
struct ExternalCorrelationRecord {
  std::uint64_t op;  // the pushed value: an OpId
  std::uint32_t correlation;
};
struct MemoryRecord {
  std::int64_t at_ns;
  std::uint64_t address, bytes;
  std::uint32_t device, context, stream, correlation;
  MemoryKind memory;
  bool allocated;  // false: freed
  bool pooled;     // the next two members are valid
  std::uint64_t pool_reserved_bytes, pool_used_bytes;
};
struct OverheadRecord {
  std::int64_t begin_ns, end_ns;
  const char* what;  // static storage
  std::int64_t tid;  // 0: no thread
};
struct MarkerRecord {
  std::int64_t at_ns;
  MarkerKind kind;
  std::uint32_t id;  // common to both ends
  std::int64_t tid;
  const char* name;    // null at an end
  const char* domain;  // null: the default domain
};
struct DeviceRecord {
  std::uint32_t device;
  const char* name;
  bool simulated;  // no GPU behind it: for tests
};
struct ContextRecord {
  std::uint32_t context, device, null_stream;
};
struct StreamRecord {
  std::uint32_t context, stream;
  std::int32_t priority;
};

struct Record {
  RecordKind kind;
  union {
    KernelRecord kernel;
    CopyRecord copy;
    MemsetRecord memset;
    GraphRecord graph;
    SynchronizationRecord synchronization;
    CallRecord call;
    ExternalCorrelationRecord external;
    MemoryRecord memory;
    OverheadRecord overhead;
    MarkerRecord marker;
    DeviceRecord device;
    ContextRecord context;
    StreamRecord stream;
  };
};

}  // namespace runahead::cupti
