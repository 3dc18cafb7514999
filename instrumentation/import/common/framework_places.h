// What the names of processes and threads say of the slices on them, where the events themselves do not: in
// files of MXNet's profiler, of TensorFlow's timeline, and of the trace viewer that TensorFlow and JAX share.
//   MXNet          src/profiler/profiler.cc: a process is a device ("cpu/0", "gpu/0", "cpu pinned/")
//   timeline       tensorflow/python/client/timeline.py: "/job:.../device:CPU:0 Compute",
//                  "/device:GPU:0/stream:13 Compute", ".../stream:all Compute", ".../memcpy Compute"
//   trace viewer   processes "/host:CPU", "/device:GPU:0", "/device:TPU:0", with threads such as
//                  "Stream #13(Compute)", "XLA Ops", "Steps"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/trace/rows/slice.h"

namespace runahead::importers {
using namespace trace;

// Whose ops the events of a thread are, by their category.
enum class OpSource : std::uint8_t { kUnknown, kMxnet, kTensorflow };

struct PlaceMeaning {
  enum class Does : std::uint8_t {
    kUnknown,
    kExecutes,  // its slices are work of a device
    kLaunches,  // ... are a host's calls that hand work to a device
    kCalls,     // some are calls of a device's runtime, by their names
  };
  Does does = Does::kUnknown;
  bool stream = false;  // of a device; else, where it executes, a worker
  std::string device;   // of what executes
};

// Of a thread of a process of these names. `streams_apart`: the file has the streams of this process's device
// one by one too, so that a process of them all tells nothing new (timeline_summary_of()).
[[nodiscard]] PlaceMeaning meaning_of_place(OpSource ops, std::string_view process, std::string_view thread,
                                            bool streams_apart);
// The device whose streams a process of the timeline sums up, or of which it is one ("/stream:3"); empty: no
// such process.
[[nodiscard]] std::string_view timeline_summary_of(std::string_view process);
[[nodiscard]] std::string_view timeline_stream_of(std::string_view process);

// What a slice of this name is there.
[[nodiscard]] SliceKind kind_at(const PlaceMeaning& place, std::string_view name);
// Of a call of MXNet's C API.
[[nodiscard]] SliceKind kind_of_mxnet_call(std::string_view name);

}  // namespace runahead::importers
