// CUPTI's records in plain types of our own. The module that is linked with CUPTI produces these records;
// tests make them by hand. This header uses no CUPTI types, so that the decoder can be built and tested
// everywhere.
//
// Times are ns of TickClock; the module makes CUPTI use this clock. Ids are CUPTI's. A call and the work that
// it launched share a correlation id; 0 means none. A stream's id is unique in its context. Strings are valid
// during the call that passes the record.
#pragma once

#include <cstdint>

namespace runahead::cupti {

enum class RecordKind : std::uint32_t {
  kKernel,
  kCopy,  // also a copy between devices
  kMemset,
  kGraph,  // a whole graph as a single piece of work
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

// When and where a piece of GPU work ran, and which call launched it (the correlation id).
struct Work {
  std::int64_t begin_ns, end_ns;  // both 0: the device could not record them
  std::uint32_t device, context, stream, correlation;
  std::uint32_t graph;       // 0: not part of a graph
  std::uint64_t graph_node;  // 0: no graph node
};
struct KernelRecord {
  Work work;
  const char* name;  // for C++ the mangled name
  std::int32_t grid[3], block[3];
  std::uint32_t registers_per_thread;
  std::uint32_t static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread;
};
struct CopyRecord {
  Work work;
  std::uint64_t bytes;
  CopyKind kind;
  MemoryKind from, to;
  bool asynchronous;                     // true if the caller requested an asynchronous copy
  std::uint32_t from_device, to_device;  // used only for kBetweenDevices
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
  std::uint32_t stream, event;  // kNoStream: no stream; event 0: no event
  SynchronizationKind kind;
};
struct CallRecord {
  std::int64_t begin_ns, end_ns;
  const char* name;  // such as "cudaLaunchKernel"
  std::uint32_t correlation;
  std::int64_t tid;  // the operating system's number of the thread
  std::int32_t result;
  bool driver;  // true: a call of the driver API; false: a call of the runtime
};
struct ExternalCorrelationRecord {
  std::uint64_t op;  // the value that push_op() passed to CUPTI: an OpId
  std::uint32_t correlation;
};
struct MemoryRecord {
  std::int64_t at_ns;
  std::uint64_t address, bytes;
  std::uint32_t device, context, stream, correlation;
  MemoryKind memory;
  bool allocated;  // false: freed
  bool pooled;     // true: the next two members are valid
  std::uint64_t pool_reserved_bytes, pool_used_bytes;
};
struct OverheadRecord {
  std::int64_t begin_ns, end_ns;
  const char* what;  // has static storage
  std::int64_t tid;  // 0: does not belong to a thread
};
struct MarkerRecord {
  std::int64_t at_ns;
  MarkerKind kind;
  std::uint32_t id;  // the same id at both ends of a range
  std::int64_t tid;
  const char* name;    // null if this is the end of a range
  const char* domain;  // null: the default domain
};
struct DeviceRecord {
  std::uint32_t device;
  const char* name;
  bool simulated;  // true: no GPU is behind the device (for tests)
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
