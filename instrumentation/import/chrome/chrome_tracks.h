// The processes, threads, asynchronous ids and counters of a Chrome trace are called objects here. The
// importer finds the object of an event by the keys in the event (such as pid and tid), and adds the event's
// rows to the object. make_tracks() turns the objects into the tracks of a Trace. An object without rows gets
// no track.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/chrome/begin_end.h"
#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/import/common/framework_places.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::importers {
using namespace trace;

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

struct ImportedProcess {
  EventKey pid;
  StringId name{}, labels{};
  std::int32_t sort_index = 0;
  bool used = false;
  bool is_device = false;  // all its threads are streams: the pid is the number of a device
  TrackId track = kNoTrack;
};

enum class ThreadRole : std::uint8_t {
  kThread,
  kStream,         // a stream of a device
  kWorker,         // a thread that executes ops on a CPU
  kProcessEvents,  // holds the instants of a whole process
  kGlobalEvents,   // holds the instants of the whole trace
};

struct ImportedThread {
  std::uint32_t process = 0;
  EventKey tid;
  ThreadRole role = ThreadRole::kThread;
  OpSource ops = OpSource::kUnknown;  // the framework of the ops in the thread's events
  PlaceMeaning place;                 // known only at the end of the file, because names may come last
  StringId name{};
  std::int32_t sort_index = 0;
  bool used = false;
  TrackId track = kNoTrack;
  std::vector<Slice> slices;     // from complete events
  std::vector<SliceEdge> edges;  // from B and E events
};

struct ImportedAsync {
  std::uint32_t process = 0;
  StringId category{};
  EventKey id;
  TrackId track = kNoTrack;
  std::vector<SliceEdge> edges;
};

struct ImportedCounter {
  std::uint32_t process = 0;
  std::string name;
  Unit unit = Unit::kNone;
  CounterRole role = CounterRole::kOther;
  TrackId track = kNoTrack;
  std::vector<CounterSample> samples;
};

class ChromeTracks {
 public:
  explicit ChromeTracks(ImportNames& names) : names_(names) {}  // must outlive this

  // Each of these functions returns the index of an object in one of the vectors below. If no object has the
  // key yet, the function adds one.
  std::uint32_t process(const EventKey& pid);
  std::uint32_t thread(const EventKey& pid, const EventKey& tid);
  std::uint32_t process_events(const EventKey& pid);
  std::uint32_t global_events();
  // Events with the same category and id share one object, even if they are from different processes.
  // Exception: a local id (has_local_id) is valid only within its process. A new object belongs to the
  // process of `event`.
  std::uint32_t async(const ChromeEvent& event);
  // A counter event may have several arguments; each key is a separate counter. Returns the index of the
  // counter for `key`.
  std::uint32_t counter(const ChromeEvent& event, StringId key);
  std::uint32_t add_counter(ImportedCounter counter);

  std::vector<ImportedProcess> processes;
  std::vector<ImportedThread> threads;
  std::vector<ImportedAsync> asyncs;
  std::vector<ImportedCounter> counters;

  // Makes a track for each thread, counter and process that has rows. The track ids start at 0. Before the
  // call, set `used` for each thread that has instants, because the threads do not contain their instants.
  // Asynchronous ids get their tracks later, from ChromeImporter::add_async_track().
  [[nodiscard]] std::vector<TrackInfo> make_tracks();
  [[nodiscard]] TrackInfo make_async_track(std::uint32_t process, std::string name);
  [[nodiscard]] std::string key_text(const EventKey& key) const;
  // Derives the place and role of each thread from its name and the name of its process. Call it before
  // make_tracks().
  void find_places();

 private:
  using Words = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct WordsHash {
    std::size_t operator()(const Words& words) const;
  };
  using Index = std::unordered_map<Words, std::uint32_t, WordsHash>;

  std::uint32_t special(std::uint32_t process, ThreadRole role);
  TrackId next_track() { return TrackId{next_track_++}; }
  [[nodiscard]] TrackInfo info_of(const ImportedProcess& process) const;
  [[nodiscard]] TrackInfo info_of(const ImportedThread& thread) const;

  ImportNames& names_;
  Index process_index_, thread_index_, async_index_, counter_index_;
  struct RecentThread {
    EventKey pid, tid;
    std::uint32_t index = kNoIndex;
  };
  std::array<RecentThread, 64> recent_threads_;  // index: computed from the tid
  std::uint32_t next_track_ = 0;
};

}  // namespace runahead::importers
