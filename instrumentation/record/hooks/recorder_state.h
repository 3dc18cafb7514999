// Recorder::State: the buffers of one recorder, and the registry of the process's threads. For the Collector
// and the hooks.
//
// Why stop() and ~Recorder may run while other threads execute hooks: the fast path of a hook uses only the
// generation in use, its own thread's thread-local variables, and a buffer that a shared_ptr of the thread
// keeps alive. An event written after the stop goes to that buffer. A last drain may read the event;
// otherwise no thread reads it. The slow path (a thread's first event in a generation) and ~Recorder lock the
// registry's mutex, so the slow path finds either a living recorder or no recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/record/hooks/thread_buffer.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::record {

// What the collector needs to know about start() and stop().
struct RecordingSession {
  std::uint64_t starts = 0;  // number of starts
  bool running = false;
  std::uint64_t origin_ticks = 0;  // time of the first start: Timestamp 0
  std::uint64_t stop_ticks = 0;    // time of the last stop
};

struct Recorder::State {
  explicit State(RecorderOptions recorder_options);

  // registry_mutex() (recorder.cpp) guards all members below. A thread that holds registry_mutex() may lock
  // no other mutex than a buffer's facts_mutex_.
  RecorderOptions options;
  std::shared_ptr<ChunkBudget> budget;
  std::uint64_t id = 0;          // unique in the process
  std::uint64_t generation = 0;  // generation of the last start
  RecordingSession session;
  // the buffers of living threads, and of ended threads that are not drained yet
  std::vector<std::shared_ptr<ThreadBuffer>> buffers;
  // the part of `buffers` that the collector has not received yet
  std::vector<std::shared_ptr<ThreadBuffer>> fresh;
  std::vector<std::shared_ptr<ThreadBuffer>> free;  // drained buffers of ended threads, for the next threads
  std::vector<std::shared_ptr<RowSource>> fresh_sources;  // sources that the collector has not received yet
  // events and losses of buffers that were deleted or reused
  std::uint64_t events_retired = 0, lost_retired = 0;
  double fullest_ratio = 0;  // fill of the fullest buffer at the last drain

  // ---- for the collector; each function locks the mutex ----
  [[nodiscard]] RecordingSession current_session() const;
  // The buffers registered since the last call.
  [[nodiscard]] std::vector<std::shared_ptr<ThreadBuffer>> take_fresh();
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> take_fresh_sources();
  // Keeps the memory of `buffer` for a later thread. REQUIRES: the thread of `buffer` has ended and all its
  // events are drained.
  void retire(const std::shared_ptr<ThreadBuffer>& buffer);
  void note_fullest(double ratio);
  // Number of records lost by threads that never had a buffer to drain, since the recorder was made.
  [[nodiscard]] std::uint64_t lost_without_buffer() const;
  std::uint64_t lost_unseen = 0;  // guarded by registry_mutex() too
};

namespace internal {

// The calling thread's state: plain variables, so that a hook reads them without an initialisation guard.
struct ThreadHook {
  // differs from every generation, and from 0 (recording is off)
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t generation = kNone;  // the generation to which `buffer` belongs
  ThreadBuffer* buffer = nullptr;    // kept alive by this thread's registration (recorder.cpp)
};
// initial-exec (a model of thread-local storage): code reads the variable without a function call. If a
// library is opened at run time, such variables must fit into a small space that the C library reserves. This
// variable uses a few bytes of that space.
extern thread_local constinit ThreadHook thread_hook [[gnu::tls_model("initial-exec")]];

// Gives the calling thread a buffer of the recorder in use; null if there is no recorder, or the thread is
// ending.
[[nodiscard]] ThreadBuffer* adopt_thread() noexcept;
void name_this_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order);
// The ThreadFacts of a living thread of this process, by kernel thread number. It is possible that the thread
// has recorded nothing yet. The name is the name that the thread set here. Otherwise it is the thread's name
// in the kernel ("pt_autograd_0 4711"). If both are missing, the name is empty.
[[nodiscard]] ThreadFacts facts_of_thread(std::int64_t tid);

}  // namespace internal
}  // namespace runahead::record
