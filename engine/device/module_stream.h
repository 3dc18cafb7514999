// ModuleStream: one stream of a module's device with its two threads. The launcher puts work items on the
// stream, in the order of submit(). The ender reports the end of each work item (Work::done) when the stream
// has executed the item. Internal to ModuleDevice.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "engine/device/device.h"
#include "engine/device/device_module.h"
#include "engine/device/memory/card_memory.h"
#include "engine/device/module_clock.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/device_activity.h"

namespace runahead::engine {

class ModuleStream {
 public:
  // Makes a stream through the module. Throws std::runtime_error if the device refuses. card: may be
  // null. If it is not null, card->work_ended() is called after each work item.
  ModuleStream(const RunaheadDeviceApi& api, std::string name, void* device, StreamKind kind,
               ModuleClock& clock, CardMemory* card);
  ~ModuleStream();  // REQUIRES: nothing in flight
  ModuleStream(const ModuleStream&) = delete;
  ModuleStream& operator=(const ModuleStream&) = delete;

  // all streams of the device, indexed by kind; this stream is one of them
  using Siblings = std::array<ModuleStream*, kStreamKindCount>;
  void serve(const Siblings& siblings);  // starts the threads; call it once
  // Any thread. The work items of a stream are numbered from 1. Work::after uses these numbers.
  void submit(Work work);
  [[nodiscard]] Arithmetic& arithmetic() { return *arithmetic_; }

 private:
  // The two events of a work item in flight. When the item has ended, another item uses the events.
  struct Events {
    void* start = nullptr;
    void* end = nullptr;
  };
  struct Launched {
    std::uint64_t number = 0;
    Work work;
    Events events;
    ModuleClock::Handle reference;
    bool computed_returned = false;  // computed() has returned, so `done` may be called
    std::string error;               // why the stream refused the work or its events; empty otherwise
  };
  struct Times {
    std::uint64_t start = 0, end = 0;
  };

  void launch_all();
  void launch(Work work);
  void tell_name(const record::DeviceActivity& activity);
  void put_on_stream(Launched& launched);
  void await_siblings(const Work& work);
  [[nodiscard]] bool make_stream_await(ModuleStream& other, std::uint64_t number);
  void end_all();
  void end(Launched& launched);
  void record_queue(const Launched& launched, std::uint64_t start_ticks) const;
  void await(void* event, std::string& error) const;
  [[nodiscard]] std::uint64_t ready_of(const Work& work) const;
  [[nodiscard]] std::uint64_t end_of(std::uint64_t number) const;
  [[nodiscard]] Events take_events();

  const RunaheadDeviceApi& api_;
  const std::string name_;
  void* const device_;
  const StreamKind kind_;
  ModuleClock& clock_;
  CardMemory* const card_;
  // From when the driver gets a work item until the item starts: "compute, queue of the driver".
  const record::TrackDesc& queue_track_;
  void* stream_ = nullptr;
  std::unique_ptr<Arithmetic> arithmetic_;
  Siblings siblings_{};

  mutable Mutex mutex_;  // a thread that holds mutex_ locks no other stream's mutex
  std::condition_variable changed_;
  std::deque<Work> queue_ RUNAHEAD_GUARDED_BY(mutex_);  // submitted, not yet launched
  std::deque<Launched> in_flight_
      // Launched items that have not ended. The ender uses the front item without the lock: items never move
      // in memory, and only the ender removes items.
      RUNAHEAD_GUARDED_BY(mutex_);
  std::uint64_t launched_count_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint64_t ended_count_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::vector<Events> spare_events_ RUNAHEAD_GUARDED_BY(mutex_);
  // The end times of the last kEnds work items; index: the item's number modulo kEnds. The ready time of a
  // later item (on this or another stream) is computed from these times: the later item became ready when the
  // last of its predecessors ended.
  static constexpr std::size_t kEnds = 4096;
  std::vector<std::uint64_t> ends_ RUNAHEAD_GUARDED_BY(mutex_) = std::vector<std::uint64_t>(kEnds, 0);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;

  // used only by the launcher: the last activity source that got this stream's name
  const record::DeviceActivity* told_ = nullptr;
  std::uint64_t last_end_ticks_ = 0;  // used only by the ender
  std::thread launcher_, ender_;      // declared last: the threads use all members above
};

}  // namespace runahead::engine
