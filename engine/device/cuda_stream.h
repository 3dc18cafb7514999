// One stream of a CUDA device, with the two threads that serve it: one puts works on it, in the order of
// submit(), one ends them when the stream has. Internal to the CUDA device.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "engine/device/cuda_clock.h"
#include "engine/device/cuda_module.h"
#include "engine/device/device.h"
#include "engine/device/memory/card_memory.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/device_activity.h"

namespace runahead::engine {

class CudaStream {
 public:
  // Makes the module's stream; throws std::runtime_error if the device refuses. `card`, if given, is told of
  // each work's end.
  CudaStream(const RunaheadCudaApi& api, std::string name, void* device, StreamKind kind, CudaClock& clock,
             CardMemory* card);
  ~CudaStream();  // REQUIRES: nothing in flight
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  using Siblings = std::array<CudaStream*, kStreamKindCount>;  // by kind, itself too
  void serve(const Siblings& siblings);                        // starts the threads; once
  // Any thread. Works are counted from 1 on; Work::after speaks of these numbers.
  void submit(Work work);
  [[nodiscard]] Arithmetic& arithmetic() { return *arithmetic_; }

 private:
  // A pair of events for each work in flight, used again.
  struct Events {
    void* start = nullptr;
    void* end = nullptr;
  };
  struct Launched {
    std::uint64_t number = 0;
    Work work;
    Events events;
    CudaClock::Handle reference;
    bool there = false;  // computed() has returned: done may follow
    std::string error;   // the stream took neither it nor what marks its times
  };
  struct Times {
    std::uint64_t start = 0, end = 0;
  };

  void launch_all();
  void launch(Work work);
  void tell_name(const record::DeviceActivity& activity);
  void put_on_stream(Launched& launched);
  void await_siblings(const Work& work);
  [[nodiscard]] bool make_stream_await(CudaStream& other, std::uint64_t number);
  void end_all();
  void end(Launched& launched);
  void await(void* event, std::string& error) const;
  [[nodiscard]] std::uint64_t ready_of(const Work& work) const;
  [[nodiscard]] std::uint64_t end_of(std::uint64_t number) const;
  [[nodiscard]] Events take_events();

  const RunaheadCudaApi& api_;
  const std::string name_;
  void* const device_;
  const StreamKind kind_;
  CudaClock& clock_;
  CardMemory* const card_;
  void* stream_ = nullptr;
  std::unique_ptr<Arithmetic> arithmetic_;
  Siblings siblings_{};

  mutable Mutex mutex_;  // no other stream's is taken under it
  std::condition_variable changed_;
  std::deque<Work> queue_ RUNAHEAD_GUARDED_BY(mutex_);  // submitted, not launched
  std::deque<Launched> in_flight_
      RUNAHEAD_GUARDED_BY(mutex_);  // launched, not ended; its entries stay where they are
  std::uint64_t launched_count_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint64_t ended_count_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::vector<Events> spare_events_ RUNAHEAD_GUARDED_BY(mutex_);
  // The ends of the last works, by number: what a later one was ready by.
  static constexpr std::size_t kEnds = 4096;
  std::vector<std::uint64_t> ends_ RUNAHEAD_GUARDED_BY(mutex_) = std::vector<std::uint64_t>(kEnds, 0);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;

  const record::DeviceActivity* told_ = nullptr;  // the launching thread's: who knows this stream's name
  std::uint64_t last_end_ticks_ = 0;              // the ending thread's
  std::thread launcher_, ender_;                  // last: they use all of the above
};

}  // namespace runahead::engine
