// Source: adds CUPTI's activity records to a recording. It opens the CUPTI module at run time, passes the
// module's records to a Decoder, and gives the decoded rows to a recorder's collector.
//
// A process has one CUPTI, so only one source runs at a time. Any thread may call the functions of Source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/cupti/cupti_module.h"
#include "instrumentation/record/hooks/recorder.h"

namespace runahead::cupti {

struct SourceOptions {
  std::size_t buffer_bytes = 128u << 10;  // small, so that a buffer is soon full and CUPTI returns it
  // limit of the size of all CUPTI buffers together; beyond this limit, records are dropped and counted
  std::size_t most_bytes = 128u << 20;
  // limit of the number of rows that the collector has not taken yet; beyond this limit, records are dropped
  // and counted
  std::size_t most_rows = 1u << 20;
  Duration flush_period = std::chrono::milliseconds(50);
};

// Says whether CUPTI can record here.
struct Availability {
  bool available = false;
  std::uint32_t version = 0;  // CUPTI's version, such as 130001; 0: unknown
  std::string reason;         // why CUPTI cannot record, and what to do, in one line
};
[[nodiscard]] Availability availability();

// The module, opened at the first call. The error says why the module cannot be opened and what to do.
[[nodiscard]] Result<const RunaheadCuptiModule*> find_module();

class ActivityRows;  // called by the module and by the collector

class Source {
 public:
  // Records into `recorder` until stop(). A source may be started at any time. After it was stopped, a new
  // source may be started. While a source runs, the engine calls it through record/hooks/device_activity.h.
  // The error says why CUPTI cannot record.
  [[nodiscard]] static Result<std::unique_ptr<Source>> start(record::Recorder& recorder,
                                                             const SourceOptions& options = {});
  // For tests: works like the start() above, but uses `module` instead of the CUPTI module.
  [[nodiscard]] static Result<std::unique_ptr<Source>> start(record::Recorder& recorder,
                                                             const RunaheadCuptiModule& module,
                                                             const SourceOptions& options = {});
  ~Source();  // stops the source
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Fetches the remaining records of CUPTI and stops. Call it before the recorder stops, because the recorder
  // takes no rows after that.
  void stop();

  struct Status {
    std::uint32_t cupti_version = 0;
    std::string refused;           // kinds of activity that are not recorded, and why; empty: none
    Duration clock_error{};        // lower bound of the error between device and host times
    std::uint64_t lost = 0;        // number of lost records
    std::size_t buffer_bytes = 0;  // memory of CUPTI's buffers now
  };
  [[nodiscard]] Status status() const;

 private:
  Source(const RunaheadCuptiModule& module, std::shared_ptr<ActivityRows> rows);

  const RunaheadCuptiModule& module_;
  const std::shared_ptr<ActivityRows> rows_;
};

}  // namespace runahead::cupti
