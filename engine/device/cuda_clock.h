// The times of a CUDA device's events on our clock. An event is measured from a reference event, whose time
// on our clock is known from how long the host waited for it alone on a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/device/cuda_module.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine {

class CudaClock {
 public:
  // A reference: at_ticks is right to within error_ticks.
  struct Reference {
    void* event = nullptr;
    std::uint64_t at_ticks = 0, error_ticks = 0;
  };
  using Handle = std::shared_ptr<const Reference>;

  // Throws std::runtime_error if the device refuses.
  CudaClock(const RunaheadCudaApi& api, std::string name, void* device);
  ~CudaClock();
  CudaClock(const CudaClock&) = delete;
  CudaClock& operator=(const CudaClock&) = delete;

  // For events recorded from now on: not older than kMostAge, as a time is in float milliseconds, which for
  // later ones are coarser than an event. Any thread; throws likewise. The device must outlive it.
  [[nodiscard]] Handle reference();
  // When `event` was, which is done; at_ticks of the reference if the device does not say.
  [[nodiscard]] std::uint64_t ticks_of(const Reference& reference, void* event) const;

 private:
  static constexpr std::uint64_t kMostAgeNs = 1'000'000'000;
  Handle measure() RUNAHEAD_REQUIRES(mutex_);

  const RunaheadCudaApi& api_;
  const std::string name_;
  void* const device_;
  void* stream_ = nullptr;  // its own; used under mutex_
  Mutex mutex_;             // never nests
  Handle last_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::engine
