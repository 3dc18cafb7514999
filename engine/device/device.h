// Device: where ops run and memory is. The engine uses a CPU, a virtual GPU and a CUDA device only through
// this interface (invariant 6 of the design).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/arithmetic.h"
#include "engine/device/memory/memory_pool.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

enum class StreamKind : std::uint8_t { kCompute, kCopyToDevice, kCopyToHost };
inline constexpr int kStreamKindCount = 3;
[[nodiscard]] constexpr const char* stream_name(StreamKind kind) {
  constexpr std::array<const char*, kStreamKindCount> kNames{"compute", "copy to device", "copy to host"};
  return kNames[static_cast<std::size_t>(kind)];
}

// The cost of an op on a device with modelled time. The operator states it; it is never measured.
struct Cost {
  double flops = 0;
  double memory_bytes = 0;  // read and written in the device's memory
  double copy_bytes = 0;    // copies: bytes over the link
  bool pageable = false;    // copies: the host memory is not pinned
};

// A work is an op whose inputs have been computed, ready to run on a device.
struct Work {
  OpId op = kNoOp;
  const record::Site* site = nullptr;
  std::uint64_t ready_ticks = 0;
  // Devices with lookahead use this member. after[s]: the work starts when this many of the works submitted
  // first to stream s of this device have ended. A device whose works end at modelled times uses ready_ticks
  // instead.
  std::array<std::uint64_t, kStreamKindCount> after{};
  Cost cost;
  std::int64_t priority = 0;
  std::function<void()> run;  // computes the values, on the device's own thread
  // May be empty. Called once, before `done`, as soon as start_ticks has passed. Where a work starts when it
  // is run, that is before `run`. Where values are computed ahead of time, it is at the modelled start.
  std::function<void(std::uint64_t start_ticks)> started;
  // May be empty. Called once, only by devices with lookahead_ticks(), on the thread that ran the work. The
  // values are ready; end_ticks is when the work will end or has ended. `done` of this work, and of any work
  // that ends later, is called after this has returned.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> computed;
  // May be empty. Called at most once, before `started`, by a device that only then knows when the works in
  // `after` had ended. The work was not ready before `ticks`.
  std::function<void(std::uint64_t ticks)> was_ready;
  // May be empty. Called at most once, after `computed` and before `done`: the work failed while it ran.
  std::function<void(const std::string& what)> failed;
  // Called once, on a thread of the device with no lock held, when the work has ended and its values are
  // ready. flags: trace::SliceFlag.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> done;
};

class Device {
 public:
  virtual ~Device() = default;  // REQUIRES: nothing in flight

  [[nodiscard]] virtual const std::string& name() const = 0;  // "cpu", "virtual:0", "cuda:0"
  [[nodiscard]] virtual bool simulated() const = 0;
  [[nodiscard]] virtual bool holds_values() const { return true; }  // false: timing only, reading is an error
  [[nodiscard]] virtual MemoryPool& pool() = 0;
  // True: submit() runs the work on the calling thread and returns when it is done; the engine provides the
  // threads (cpu).
  // False: submit() returns at once, and the device has a thread per stream (virtual, cuda).
  [[nodiscard]] virtual bool runs_on_caller() const { return false; }
  // The current time, on the clock of works' ready, start and end times.
  [[nodiscard]] virtual std::uint64_t now_ticks() const { return TickClock::get().now(); }
  // How far ahead of now_ticks() a work may start. So its values are ready in time even on a busy host: works
  // may be submitted with a ready_ticks in the future. 0: the device has no modelled time and never calls
  // Work::computed.
  [[nodiscard]] virtual std::uint64_t lookahead_ticks() const { return 0; }
  // Calls `call` on a thread of the device, with no lock held, at `ticks` or soon after. It is not called if
  // the device is destroyed before. Only for devices with lookahead.
  virtual void call_at(std::uint64_t /*ticks*/, std::function<void()> /*call*/) {}
  // The least time of a work by the device's model. 0: the device has no model.
  [[nodiscard]] virtual std::uint64_t modelled_ticks(StreamKind, const Cost&) const { return 0; }
  // Computes the values of ops on a stream; lives as long as the device. Null: the host computes them, on the
  // thread that calls Work::run.
  [[nodiscard]] virtual Arithmetic* arithmetic(StreamKind) { return nullptr; }
  // Runs works of one stream in the order of submission. The engine decides the order of ready works: it
  // submits one at a time per stream, or in its order.
  virtual void submit(StreamKind stream, Work work) = 0;
  // The run is given up. From now on works end as soon as their values are ready, whatever the model says,
  // and that is their end time. Cannot be undone. No effect where time is not modelled. Any thread.
  virtual void hurry() {}
  // Returns one line for the user: "virtual GPU: 10 us launch, 10 GFLOP/s, 1 GB/s pinned, 0.5 GB/s pageable,
  // 8 GiB".
  [[nodiscard]] virtual std::string description() const = 0;
  // Number of ops that ended later than the model says so far. 0 where time is not modelled.
  [[nodiscard]] virtual std::uint64_t late_ops() const { return 0; }
};

}  // namespace runahead::engine
