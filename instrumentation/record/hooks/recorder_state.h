// Recorder::State: the buffers of one recorder, and the process's registry of threads. For the Collector and
// the hooks.
//
// Why stop() and ~Recorder may run while hooks are in flight on other threads: a hook's usual path touches
// nothing but the generation in use, its thread's own locals, and the buffer that these keep alive by a
// shared_ptr of their own. What it writes after the stop lands in that buffer, read by nobody or by a last
// drain. The slow path (a thread's first event under a generation) and ~Recorder take the registry's mutex,
// so the slow path finds either a living recorder or none.
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

// What the collector must know of start() and stop().
struct RecordingSession {
  std::uint64_t starts = 0;  // how often recording began
  bool running = false;
  std::uint64_t origin_ticks = 0;  // of the first start: Timestamp 0
  std::uint64_t stop_ticks = 0;    // of the last stop
};

struct Recorder::State {
  explicit State(RecorderOptions recorder_options);

  // All below is guarded by registry_mutex() (recorder.cpp), which is taken alone but for a buffer's
  // facts_mutex_ within it.
  RecorderOptions options;
  std::shared_ptr<ChunkBudget> budget;
  std::uint64_t id = 0;          // unique in the process
  std::uint64_t generation = 0;  // of the last start
  RecordingSession session;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers;  // of living threads and of ended ones not drained yet
  std::vector<std::shared_ptr<ThreadBuffer>> fresh;    // of these, those the collector has not been given
  std::vector<std::shared_ptr<ThreadBuffer>> free;     // drained, their threads ended: for the next threads
  std::vector<std::shared_ptr<RowSource>> fresh_sources;  // that the collector has not been given
  std::uint64_t events_retired = 0, lost_retired = 0;     // of buffers that are gone, or were when reused
  double fullest_ratio = 0;                               // at the last drain

  // ---- for the collector, each under the mutex ----
  [[nodiscard]] RecordingSession current_session() const;
  // The buffers registered since the last call.
  [[nodiscard]] std::vector<std::shared_ptr<ThreadBuffer>> take_fresh();
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> take_fresh_sources();
  // The thread of `buffer` has ended and all is drained: memory for the next thread.
  void retire(const std::shared_ptr<ThreadBuffer>& buffer);
  void note_fullest(double ratio);
  // Records lost by threads that never had a buffer to be drained, since the recorder was made.
  [[nodiscard]] std::uint64_t lost_without_buffer() const;
  std::uint64_t lost_unseen = 0;  // guarded as above
};

namespace internal {

// The calling thread's view: plain words, so that a hook reaches them without a guard.
struct ThreadHook {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};  // no start's, and not that of none
  std::uint64_t generation = kNone;                          // for which `buffer` holds
  ThreadBuffer* buffer = nullptr;  // kept alive by this thread's registration (recorder.cpp)
};
// initial-exec: found without a call, which takes some bytes of those that the C library keeps for such
// variables of libraries opened at run time.
extern thread_local constinit ThreadHook thread_hook [[gnu::tls_model("initial-exec")]];

// Gets the thread a buffer of the recorder in use; null if there is none, or the thread is ending.
[[nodiscard]] ThreadBuffer* adopt_thread() noexcept;
void name_this_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order);
// Of a living thread of this process, by the kernel's number, whether or not it has recorded anything: as it
// named itself here, or to the kernel ("pt_autograd_0 4711"); else without a name.
[[nodiscard]] ThreadFacts facts_of_thread(std::int64_t tid);

}  // namespace internal
}  // namespace runahead::record
