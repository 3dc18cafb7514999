// The C interface of the CUPTI module (librunahead_cupti.so), which alone is linked with CUPTI and opened at
// run time, so that a missing library is a reason and not a program that does not start. It turns CUPTI's
// records into plain ones (records.h) and hands them over; what they mean is the decoder's matter.
//
// CUPTI is one for a process, and so is what this module does.
#pragma once

#include <cstdint>

#include "instrumentation/cupti/records.h"

extern "C" {

// Changes with anything in this header or in records.h.
inline constexpr std::uint32_t kRunaheadCuptiModuleVersion = 2;

// On the module's thread, one call at a time.
struct RunaheadCuptiSink {
  void* user;
  // A record, of the delivery that ends with delivered().
  void (*take)(void* user, const runahead::cupti::Record* record);
  // lost: records that were dropped since the last delivery. complete_ns: what ended before, CUPTI has given.
  void (*delivered)(void* user, std::uint64_t lost, std::int64_t complete_ns);
};

struct RunaheadCuptiOptions {
  std::uint64_t buffer_bytes;     // of each buffer that CUPTI fills
  std::uint64_t most_bytes;       // of all of them; beyond it records are dropped and counted
  std::uint32_t flush_period_ms;  // how often what is finished is fetched
  // The clock of all times, for the life of the process: the first start's holds.
  std::uint64_t (*now_ns)();
};

struct RunaheadCuptiStatus {
  std::uint32_t module_version;
  std::uint32_t cupti_version;  // that is loaded, such as 130001
  char reason[512];             // why nothing can be recorded; empty: it can
  char refused[1024];           // kinds of activity that were refused, and why; empty: none
  std::int64_t clock_error_ns;  // how far CUPTI's host clock was seen to be off, at most
  std::uint64_t lost;           // since the module was loaded
  std::uint64_t buffer_bytes;   // held now
};

struct RunaheadCuptiStream {
  std::uint32_t device, stream;
};

struct RunaheadCuptiModule {
  std::uint32_t module_version;
  // Whether CUPTI could record here: asks it, and leaves nothing switched on. The options as for start().
  void (*probe)(const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Nonzero: it records. Else out->reason says why not. sink and options are copied.
  int (*start)(const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out);
  // Fetches what is left, hands it over, and returns when the sink is not called any more. May be started
  // again.
  void (*stop)();
  void (*status)(RunaheadCuptiStatus* out);
  void (*push_op)(std::uint64_t op);
  void (*pop_op)();
  // How records call that cudaStream_t of the calling thread's current device. 0: not known.
  int (*find_stream)(void* stream, RunaheadCuptiStream* out);
};
using RunaheadCuptiModuleOf = const RunaheadCuptiModule* (*)();
inline constexpr const char* kRunaheadCuptiModuleSymbol = "runahead_cupti_module";

}  // extern "C"
