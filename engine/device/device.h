// Device: runs ops and has memory. The engine uses a CPU, virtual GPUs, CUDA and OpenCL devices only through
// this interface (invariant 6 in docs/architecture.md).
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

// The cost of an op on a device with modelled time. The code that enqueues the op computes the cost from the
// sizes of the op's arrays; nothing is measured.
struct Cost {
  double flops = 0;
  double memory_bytes = 0;  // bytes that are read and written in the device's memory
  double copy_bytes = 0;    // bytes over the link if the op is a copy; otherwise 0
  bool pageable = false;    // true: the host memory of the copy is not pinned, so the copy is slower
};

// Work: a work item. It is an op that is ready to run on a device: its inputs have been computed, or (CUDA,
// OpenCL) its predecessors on this device are already on their streams.
struct Work {
  OpId op = kNoOp;
  const record::Site* site = nullptr;
  std::uint64_t ready_ticks = 0;
  // after[s] = n: this item may start only when the first n work items that were submitted to stream s of
  // this device have ended. Only CUDA and OpenCL devices use `after`. A virtual device uses ready_ticks
  // instead, because it knows the modelled end times in advance.
  std::array<std::uint64_t, kStreamKindCount> after{};
  Cost cost;
  std::int64_t priority = 0;
  std::function<void()> run;  // computes the values, on the device's own thread
  // May be empty. Called once, before `done`, as soon as start_ticks has passed. The cpu calls `started`
  // before `run`. A device with lookahead may have called `run` earlier: a virtual device calls `started` at
  // the modelled start, also while `run` runs, and a CUDA or OpenCL device when its stream has reached the
  // item.
  std::function<void(std::uint64_t start_ticks)> started;
  // May be empty. Called once, only by devices whose lookahead_ticks() is above 0, on the thread that called
  // `run`. The call means that successors on this device may be submitted: the values are ready, or (CUDA,
  // OpenCL) the item is on its stream. end_ticks: the modelled end of the item (CUDA, OpenCL: the time of the
  // launch). The device calls `done` of this item, and of any item that ends later, only after this call has
  // returned.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> computed;
  // May be empty. Called at most once, before `started`, by CUDA and OpenCL devices. They learn the end times
  // of the work items in `after` only when this item starts. ticks: the last of these end times. This item
  // cannot have been ready before that time.
  std::function<void(std::uint64_t ticks)> was_ready;
  // May be empty. Called at most once, after `computed` and before `done`: the work item failed while it ran.
  std::function<void(const std::string& what)> failed;
  // Called once, on a thread of the device with no lock held, when the work item has ended and its values are
  // ready. flags: trace::SliceFlag.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> done;
};

class Device {
 public:
  virtual ~Device() = default;  // REQUIRES: nothing in flight

  [[nodiscard]] virtual const std::string& name() const = 0;  // "cpu", "virtual:0", "cuda:0", "opencl:0"
  [[nodiscard]] virtual bool simulated() const = 0;
  [[nodiscard]] virtual bool holds_values() const {
    return true;
  }  // false: timing only; an attempt to read a value is an error
  [[nodiscard]] virtual MemoryPool& pool() = 0;
  // True: submit() runs the work item on the calling thread and returns when the item is done. The engine
  // provides the threads (cpu).
  // False: submit() returns immediately, and the device has a thread per stream (virtual, cuda, opencl).
  [[nodiscard]] virtual bool runs_on_caller() const { return false; }
  // The current time, on the clock that also gives the ready, start and end times of work items.
  [[nodiscard]] virtual std::uint64_t now_ticks() const { return TickClock::get().now(); }
  // How long before its ready_ticks a work item may be submitted. An early submission gives a busy host time
  // to compute the values before the item's modelled end. 0: the device has no modelled time and never calls
  // Work::computed.
  [[nodiscard]] virtual std::uint64_t lookahead_ticks() const { return 0; }
  // True: the device calls Work::started at the modelled start of a work item that was submitted before it,
  // also if its values are not computed yet. These calls and those of Work::done come in the order of time.
  [[nodiscard]] virtual bool starts_on_time() const { return false; }
  // Calls `call` on a thread of the device, with no lock held, at `ticks` or soon after. If the device is
  // destroyed before that time, the call is not made. Only for devices with lookahead.
  virtual void call_at(std::uint64_t /*ticks*/, std::function<void()> /*call*/) {}
  // Returns the duration that the device's model gives for a work item. The item takes longer if the host
  // computes its values too late (see late_ops()). 0: the device has no model.
  [[nodiscard]] virtual std::uint64_t modelled_ticks(StreamKind, const Cost&) const { return 0; }
  // Returns the object that computes the values of ops on a stream. The object lives as long as the device.
  // Null: the host computes the values, on the thread that calls Work::run.
  [[nodiscard]] virtual Arithmetic* arithmetic(StreamKind) { return nullptr; }
  // Runs the work items of one stream in the order of submission. The engine decides the order of ready
  // items: it either submits one item at a time per stream, or submits the items in the order that it wants.
  virtual void submit(StreamKind stream, Work work) = 0;
  // Call this when the user gives up the run. After the call, a work item ends as soon as its values are
  // ready, regardless of the model, and that moment is its end time. This cannot be undone. The call has no
  // effect if the device does not model time. Any thread.
  virtual void hurry() {}
  // Returns one line for the user, such as "virtual GPU: 10 us launch, 10 GFLOP/s, 1 GB/s pinned, 0.5 GB/s
  // pageable, 8 GiB".
  [[nodiscard]] virtual std::string description() const = 0;
  // Number of ops so far that ended later than the model says. 0 if the device does not model time.
  [[nodiscard]] virtual std::uint64_t late_ops() const { return 0; }
};

}  // namespace runahead::engine
