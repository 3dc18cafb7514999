// Device: where ops run and memory lives. The one interface by which the engine speaks to a CPU, a virtual
// GPU or a CUDA device; device code speaks only this (invariant 6).
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

// What an op costs on a device whose time is modelled; stated by the operator, never measured.
struct Cost {
  double flops = 0;
  double memory_bytes = 0;  // read and written in the device's memory
  double copy_bytes = 0;    // over the link; copies only
  bool pageable = false;    // host side of the copy is not pinned
};

// A piece of work that is ready: all that it reads has been computed.
struct Work {
  OpId op = kNoOp;
  const record::Site* site = nullptr;
  std::uint64_t ready_ticks = 0;
  // Where there is lookahead: starts when so many of the works submitted first to each stream of this device
  // have ended. A device whose works end in an order of their own has been told by ready_ticks.
  std::array<std::uint64_t, kStreamKindCount> after{};
  Cost cost;
  std::int64_t priority = 0;
  std::function<void()> run;  // computes the values; on the device's own thread
  // May be empty. Called once, before done, as soon as start_ticks is past: before run where work starts when
  // it is run; at the modelled start where values are computed ahead of time.
  std::function<void(std::uint64_t start_ticks)> started;
  // May be empty; called, once, only by devices with lookahead_ticks(). The values are there, on the thread
  // that ran the work; end_ticks is when it will end, or when it did. `done` of this work, and of any that
  // ends later, is called after this has returned.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> computed;
  // May be empty; called at most once, before `started`, where a device knows only then when what it follows
  // there (after) had ended: not before ticks was it ready.
  std::function<void(std::uint64_t ticks)> was_ready;
  // May be empty; called at most once, after computed and before done: it failed while it ran.
  std::function<void(const std::string& what)> failed;
  // Called once, on a thread of the device, with no lock held, when the work has ended and its values are
  // there. flags: trace::SliceFlag.
  std::function<void(std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags)> done;
};

class Device {
 public:
  virtual ~Device() = default;  // REQUIRES: nothing in flight

  [[nodiscard]] virtual const std::string& name() const = 0;  // "cpu", "virtual:0", "cuda:0"
  [[nodiscard]] virtual bool simulated() const = 0;
  [[nodiscard]] virtual bool holds_values() const { return true; }  // false: timing only, reading is an error
  [[nodiscard]] virtual MemoryPool& pool() = 0;
  // True: submit() runs the work on the calling thread and returns when it is done; the engine brings the
  // threads (cpu). False: submit() returns at once, and the device has a thread per stream (virtual, cuda).
  [[nodiscard]] virtual bool runs_on_caller() const { return false; }
  // Now, on the clock of its works' ready, start and end.
  [[nodiscard]] virtual std::uint64_t now_ticks() const { return TickClock::get().now(); }
  // How far ahead of now_ticks() a work may start, so that its values are there in time on a busy host: works
  // may be submitted with a ready_ticks in the future. 0: the device has no modelled time, and calls no
  // Work::computed.
  [[nodiscard]] virtual std::uint64_t lookahead_ticks() const { return 0; }
  // Calls on a thread of the device, with no lock held, at `ticks` or soon after; not at all if the device
  // ends before. Only where there is lookahead.
  virtual void call_at(std::uint64_t /*ticks*/, std::function<void()> /*call*/) {}
  // What the work will take at least, by the device's model; 0 where there is none.
  [[nodiscard]] virtual std::uint64_t modelled_ticks(StreamKind, const Cost&) const { return 0; }
  // What computes the values of ops on `stream`; lives as long as the device. Null: the host does, on the
  // thread that calls Work::run.
  [[nodiscard]] virtual Arithmetic* arithmetic(StreamKind) { return nullptr; }
  // In-order execution per stream; the order between ready works is the engine's (it submits one at a time
  // per stream or in its order).
  virtual void submit(StreamKind stream, Work work) = 0;
  // A run is being given up: what is submitted ends as soon as its values are there, whatever the model says,
  // and with that as its end. For good. Nothing where time is not modelled. Any thread.
  virtual void hurry() {}
  // One line for a person: "virtual GPU: 10 us launch, 10 GFLOP/s, 1 GB/s pinned, 0.5 GB/s pageable, 8 GiB".
  [[nodiscard]] virtual std::string description() const = 0;
  // Device time from its own clock where that is modelled: ops end late by this many so far.
  [[nodiscard]] virtual std::uint64_t late_ops() const { return 0; }
};

}  // namespace runahead::engine
