// The C interface of the CUPTI module (librunahead_cupti.so). Only this module is linked with CUPTI. The
// program opens the module at run time. If a library is missing, the program still starts and shows an error
// message. The module translates CUPTI's records to plain records (records.h) and passes the plain records
// on. The decoder interprets the plain records.
//
// A process has one CUPTI, so it also has one instance of this module.
#pragma once

#include <cstdint>

#include "instrumentation/cupti/records.h"

extern "C" {

// Increase this number with any change in this header or in records.h.
inline constexpr std::uint32_t kRunaheadCuptiModuleVersion = 2;

// The module calls these functions one at a time: on its own thread, and at the end on the thread that calls
// stop().
struct RunaheadCuptiSink {
  void* user;
  // Called for each record. The records of one fetch from CUPTI are called a delivery; a delivery ends with a
  // call of delivered().
  void (*take)(void* user, const runahead::cupti::Record* record);
  // lost: number of records dropped since the last delivery. complete_ns: CUPTI has delivered all activity
  // that ended before this time.
  void (*delivered)(void* user, std::uint64_t lost, std::int64_t complete_ns);
};

struct RunaheadCuptiOptions {
  std::uint64_t buffer_bytes;  // size of each buffer that CUPTI fills
  // limit of the size of all buffers together; beyond this limit, records are dropped and counted
  std::uint64_t most_bytes;
  std::uint32_t flush_period_ms;  // time between two fetches of the finished buffers
  // The clock of all times in the records. The first probe() or start() sets the clock for the life of the
  // process.
  std::uint64_t (*now_ns)();
};

struct RunaheadCuptiStatus {
  std::uint32_t module_version;
  std::uint32_t cupti_version;  // version of the loaded CUPTI, such as 130001
  char reason[512];             // why CUPTI cannot record; empty: CUPTI can record
  char refused[1024];           // kinds of activity that were refused, and why; empty: none
  std::int64_t clock_error_ns;  // largest observed error of CUPTI's host clock
  std::uint64_t lost;           // records lost since the module was loaded
  std::uint64_t buffer_bytes;   // bytes of all buffers now
};

struct RunaheadCuptiStream {
  std::uint32_t device, stream;
};

struct RunaheadCuptiModule {
  std::uint32_t module_version;
  // Checks whether CUPTI can record here, and switches everything off again. Pass the options that start()
  // will get, because the first call sets the buffers and the clock for the life of the process.
  void (*probe)(const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Returns nonzero if recording has started. 0: out->reason says why not. sink and options are copied.
  int (*start)(const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Fetches the remaining records and passes them on. When stop() returns, the sink will not be called any
  // more. start() may be called again.
  void (*stop)();
  void (*status)(RunaheadCuptiStatus* out);
  void (*push_op)(std::uint64_t op);
  void (*pop_op)();
  // Finds the device and stream ids that CUPTI's records use for this cudaStream_t. The stream must belong to
  // the calling thread's current device. Returns 0 if the stream is unknown.
  int (*find_stream)(void* stream, RunaheadCuptiStream* out);
};
using RunaheadCuptiModuleOf = const RunaheadCuptiModule* (*)();
inline constexpr const char* kRunaheadCuptiModuleSymbol = "runahead_cupti_module";

}  // extern "C"
