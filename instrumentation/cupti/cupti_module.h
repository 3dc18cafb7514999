// The C interface of the CUPTI module (librunahead_cupti.so). Only this module is linked with CUPTI. It is
// opened at run time, so a missing library is an error message and the program still starts. It turns CUPTI's
// records into plain ones (records.h) and passes them on. The decoder interprets them.
//
// A process has one CUPTI, so this module exists once too.
#pragma once

#include <cstdint>

#include "instrumentation/cupti/records.h"

extern "C" {

// Increase it with any change in this header or in records.h.
inline constexpr std::uint32_t kRunaheadCuptiModuleVersion = 2;

// Called on the module's thread, one call at a time.
struct RunaheadCuptiSink {
  void* user;
  // Called with each record of a delivery. The delivery ends with delivered().
  void (*take)(void* user, const runahead::cupti::Record* record);
  // lost: number of records dropped since the last delivery. complete_ns: CUPTI has delivered everything that
  // ended before this time.
  void (*delivered)(void* user, std::uint64_t lost, std::int64_t complete_ns);
};

struct RunaheadCuptiOptions {
  std::uint64_t buffer_bytes;     // size of each buffer that CUPTI fills
  std::uint64_t most_bytes;       // limit of all buffers; beyond it records are dropped and counted
  std::uint32_t flush_period_ms;  // how often finished buffers are fetched
  // The clock of all times, for the life of the process: the first start() sets it.
  std::uint64_t (*now_ns)();
};

struct RunaheadCuptiStatus {
  std::uint32_t module_version;
  std::uint32_t cupti_version;  // of the loaded CUPTI, such as 130001
  char reason[512];             // why nothing can be recorded; empty: it can
  char refused[1024];           // kinds of activity that were refused, and why; empty: none
  std::int64_t clock_error_ns;  // largest observed error of CUPTI's host clock
  std::uint64_t lost;           // records lost since the module was loaded
  std::uint64_t buffer_bytes;   // allocated now
};

struct RunaheadCuptiStream {
  std::uint32_t device, stream;
};

struct RunaheadCuptiModule {
  std::uint32_t module_version;
  // Checks whether CUPTI can record here, and leaves nothing switched on. Pass the options of start().
  void (*probe)(const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Nonzero: it records. 0: out->reason says why not. sink and options are copied.
  int (*start)(const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Fetches the remaining records and passes them on. Returns when the sink will not be called any more.
  // start() may be called again.
  void (*stop)();
  void (*status)(RunaheadCuptiStatus* out);
  void (*push_op)(std::uint64_t op);
  void (*pop_op)();
  // The ids by which records refer to this cudaStream_t of the calling thread's current device. 0: unknown.
  int (*find_stream)(void* stream, RunaheadCuptiStream* out);
};
using RunaheadCuptiModuleOf = const RunaheadCuptiModule* (*)();
inline constexpr const char* kRunaheadCuptiModuleSymbol = "runahead_cupti_module";

}  // extern "C"
