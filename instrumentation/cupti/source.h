// Source: CUPTI's activity on its way into a recording. Opens the module at run time, feeds its records to a
// Decoder, and hands the rows to a recorder's collector.
//
// CUPTI is one for a process, so one source runs at a time. Any thread.
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
  std::size_t buffer_bytes = 128u << 10;  // small, so that they come back soon
  std::size_t most_bytes = 128u << 20;    // of CUPTI's buffers; beyond it records are dropped and counted
  std::size_t most_rows = 1u << 20;       // that the collector has not taken; beyond it ditto
  Duration flush_period = std::chrono::milliseconds(50);
};

// Whether CUPTI can record here.
struct Availability {
  bool available = false;
  std::uint32_t version = 0;  // CUPTI's, such as 130001; 0: not known
  std::string reason;         // why not: one line, with what to do
};
[[nodiscard]] Availability availability();

// The module, opened at the first call; the error says why there is none and what to do.
[[nodiscard]] Result<const RunaheadCuptiModule*> find_module();

class ActivityRows;  // what the module calls, and the collector

class Source {
 public:
  // Records into `recorder` until it is stopped; early or late in the program's life, and again. The engine's
  // hooks (record/device_activity.h) lead here meanwhile. The error says why CUPTI does not record.
  [[nodiscard]] static Result<std::unique_ptr<Source>> start(record::Recorder& recorder,
                                                             const SourceOptions& options = {});
  // The same with another module: for tests.
  [[nodiscard]] static Result<std::unique_ptr<Source>> start(record::Recorder& recorder,
                                                             const RunaheadCuptiModule& module,
                                                             const SourceOptions& options = {});
  ~Source();  // stops
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Fetches what CUPTI has, and ends. Call it before the recorder stops: what comes later is not taken.
  void stop();

  struct Status {
    std::uint32_t cupti_version = 0;
    std::string refused;           // kinds of activity that are not recorded, and why; empty: none
    Duration clock_error{};        // of the device's times against the host's, at least so much
    std::uint64_t lost = 0;        // records
    std::size_t buffer_bytes = 0;  // held by CUPTI's buffers now
  };
  [[nodiscard]] Status status() const;

 private:
  Source(const RunaheadCuptiModule& module, std::shared_ptr<ActivityRows> rows);

  const RunaheadCuptiModule& module_;
  const std::shared_ptr<ActivityRows> rows_;
};

}  // namespace runahead::cupti
