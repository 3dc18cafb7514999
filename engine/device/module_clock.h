// ModuleClock: converts times of a device's events to times of the TickClock. A module gives the time of an
// event relative to a reference event. The reference event is recorded on a stream without other work, so
// that nothing delays it. The host reads the TickClock, records the reference event, waits for it, and reads
// the TickClock again. The midpoint of the two readings is taken as the time of the reference event.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/device/device_module.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

class ModuleClock {
 public:
  // A reference event. at_ticks: its time on the TickClock, with an error of at most error_ticks.
  struct Reference {
    void* event = nullptr;
    std::uint64_t at_ticks = 0, error_ticks = 0;
  };
  using Handle = std::shared_ptr<const Reference>;
  // When the driver got a command, and when it gave the command to the device, on the TickClock.
  struct QueueTimes {
    std::uint64_t queued_ticks = 0, submitted_ticks = 0;
  };

  // Throws std::runtime_error if the device refuses.
  ModuleClock(const RunaheadDeviceApi& api, std::string name, void* device);
  ~ModuleClock();
  ModuleClock(const ModuleClock&) = delete;
  ModuleClock& operator=(const ModuleClock&) = delete;

  // Returns a reference for events that are recorded after this call. The reference is not older than
  // kMostAgeNs. Reason: the module gives the time since the reference as a float in milliseconds, whose
  // resolution becomes coarser as this time grows. With an older reference, the resolution would be coarser
  // than the duration of a short work item. Any thread. Throws like the constructor. The device must outlive
  // the Handle.
  [[nodiscard]] Handle reference();
  // Returns the time of `event`, which must be done. nullopt: the device does not know this time, or does not
  // know it yet: OpenCL gives the start of a command only when the command has ended.
  [[nodiscard]] std::optional<std::uint64_t> ticks_of(const Reference& reference, void* event) const;
  // Returns the times of the command that begins with `event`, which must be done. nullopt: the driver does
  // not know them. If it does, each reference() also records a counter of the device: "clock error, at most".
  [[nodiscard]] std::optional<QueueTimes> queue_times(const Reference& reference, void* event) const;

 private:
  static constexpr std::uint64_t kMostAgeNs = 1'000'000'000;
  Handle measure() RUNAHEAD_REQUIRES(mutex_);
  void record_error(const Reference& reference) const RUNAHEAD_REQUIRES(mutex_);

  const RunaheadDeviceApi& api_;
  const std::string name_;
  void* const device_;
  const record::TrackDesc& error_track_;
  void* stream_ = nullptr;  // its own stream; guarded by mutex_
  Mutex mutex_;             // never nests
  Handle last_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::engine
