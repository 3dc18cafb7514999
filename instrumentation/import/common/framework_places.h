// Derives the meaning of slices from the names of their process and thread. This is needed for files whose
// events do not state their kind: files of MXNet's profiler, of TensorFlow's timeline, and of the trace
// viewer of TensorFlow and JAX.
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

// The framework that executed the ops of a thread, according to the category of the events.
enum class OpSource : std::uint8_t { kUnknown, kMxnet, kTensorflow };

// What the names of a thread and its process say about the thread's slices.
struct PlaceMeaning {
  enum class Does : std::uint8_t {
    kUnknown,
    kExecutes,  // the slices are work on a device
    kLaunches,  // the slices are host calls that submit work to a device
    kCalls,     // some slices are calls of a device's runtime; their names say which
  };
  Does does = Does::kUnknown;
  bool stream = false;  // used for kExecutes; true: the thread is a stream of a device; false: a worker
  std::string device;   // the device that executes the slices
};

// Returns what the slices of a thread show: work on a device, or calls of the host. `process` and `thread`
// are names; `ops` is the framework of the thread's ops. `streams_apart`: true if the file also has a
// separate process for each stream of this process's device. If so, a process with the slices of all streams
// (timeline_summary_of()) only repeats these slices. The meaning of that process is then kUnknown, because
// each op would otherwise be counted twice.
[[nodiscard]] PlaceMeaning meaning_of_place(OpSource ops, std::string_view process, std::string_view thread,
                                            bool streams_apart);
// These functions read the names of processes in TensorFlow's timeline. If a process has the slices of all
// streams of one device, timeline_summary_of() returns this device. If a process is one stream, such as
// "/stream:3", timeline_stream_of() returns the stream's device. Empty: the process is something else.
[[nodiscard]] std::string_view timeline_summary_of(std::string_view process);
[[nodiscard]] std::string_view timeline_stream_of(std::string_view process);

// The kind of a slice with this name on a thread with this meaning.
[[nodiscard]] SliceKind kind_at(const PlaceMeaning& place, std::string_view name);
// The kind of a call of MXNet's C API.
[[nodiscard]] SliceKind kind_of_mxnet_call(std::string_view name);

}  // namespace runahead::importers
