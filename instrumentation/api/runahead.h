// runahead.h: record a C++17 program for Runahead.
//
//   #include <runahead/runahead.h>
//   find_package(runahead) and target_link_libraries(... runahead::runahead) in CMake
//
//   runahead::Recording recording("program.runahead");   // records from here to its destructor
//   if (!recording.ok()) std::puts(recording.error().c_str());
//   runahead::name_thread("loader");
//   void load() { RUNAHEAD_ZONE("load"); ... }            // a slice of this thread, to the end of the scope
//
// Every call except those of Recording may be made on any thread at any time. A call that records an event
// takes no lock. Exception: the first such call of a thread in a recording takes a lock to get a buffer for
// the thread. A call never waits for space in the buffer, and never fails. While nothing is recorded, a call
// costs a load and a branch. Events that do not fit into the thread's buffer are dropped, and the recording
// contains the number of dropped events. If RUNAHEAD_DISABLE is defined, all calls are empty and no library
// is needed.
//
// If the environment has RUNAHEAD_RECORD=FILE (`runahead record` sets it), the library records the process
// from the loading of the library to the end of the process. The program needs no Recording. If it makes a
// Recording anyway, the Recording writes no file of its own, because FILE already contains everything. After
// fork() the child records nothing until it calls record_child() or makes its own Recording.
//
// The macros accept only string literals as names. site("name") accepts any text but takes a lock, so call it
// once for each name and keep its result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#ifndef RUNAHEAD_DISABLE

#define RUNAHEAD_API __attribute__((visibility("default")))

extern "C" {
// A place in the program that records events with one name. It must have static storage, because events
// contain only its address.
struct runahead_site {
  const char* name;
  unsigned char kind;  // always 0
  const char* file;
  std::uint32_t line;
  bool has_place = false;  // true only from runahead_make_site_at()
};
struct runahead_track;    // a track with asynchronous slices or with the samples of a counter
struct runahead_frames;   // a sequence of frames
struct runahead_memory;   // memory whose blocks are recorded
struct runahead_control;  // a value that a person may change while the program runs
struct runahead_recording;

// Points to a value that is not 0 while a recording is on.
RUNAHEAD_API extern const std::uint64_t* const runahead_recording_now;

RUNAHEAD_API std::uint64_t runahead_ticks() noexcept;
RUNAHEAD_API void runahead_zone_begin(const runahead_site* site) noexcept;
RUNAHEAD_API void runahead_zone_end() noexcept;
RUNAHEAD_API void runahead_async_slice(const runahead_track* track, const runahead_site* site,
                                       std::uint64_t begin_ticks) noexcept;
RUNAHEAD_API void runahead_counter(const runahead_track* counter, double value) noexcept;
RUNAHEAD_API void runahead_instant(const runahead_site* site) noexcept;
RUNAHEAD_API void runahead_flow_out(const runahead_site* site, std::uint64_t id) noexcept;
RUNAHEAD_API void runahead_flow_in(std::uint64_t id) noexcept;
// Like runahead_flow_out(), for an arrow that may never arrive: it is then left out, and not counted as lost.
RUNAHEAD_API void runahead_flow_out_optional(const runahead_site* site, std::uint64_t id) noexcept;
RUNAHEAD_API void runahead_message_out(const runahead_site* site, std::uint64_t id) noexcept;
RUNAHEAD_API void runahead_message_in(std::uint64_t id) noexcept;
RUNAHEAD_API void runahead_frame(runahead_frames* frames) noexcept;
// Only while a recording is on. `by` may be null. A free of an unknown address is ignored.
RUNAHEAD_API void runahead_allocated(runahead_memory* memory, const runahead_site* by, const void* address,
                                     std::size_t size_bytes) noexcept;
RUNAHEAD_API void runahead_freed(runahead_memory* memory, const void* address) noexcept;
RUNAHEAD_API void runahead_name_thread(const char* name);
RUNAHEAD_API void runahead_name_frontend(const char* name);
// `site` comes from runahead_make_wait_site().
RUNAHEAD_API void runahead_wait_begin(const runahead_site* site) noexcept;
RUNAHEAD_API void runahead_wait_end() noexcept;
// The position of the choice, or the number.
RUNAHEAD_API double runahead_control_value(const runahead_control* control) noexcept;

// The objects that these functions return are kept for the life of the process. Equal arguments give the same
// object.
RUNAHEAD_API const runahead_site* runahead_make_site(const char* name);
// The slices of this site have the argument "line": "FILE:LINE". An empty file: runahead_make_site(name).
RUNAHEAD_API const runahead_site* runahead_make_site_at(const char* name, const char* file,
                                                        std::uint32_t line);
RUNAHEAD_API const runahead_track* runahead_make_track(const char* group, const char* name);
RUNAHEAD_API const runahead_track* runahead_make_counter(const char* group, const char* name, int unit);
RUNAHEAD_API const runahead_track* runahead_make_measure(const char* group, const char* name, int measure);
RUNAHEAD_API runahead_frames* runahead_make_frames(const char* name);
RUNAHEAD_API runahead_memory* runahead_make_memory(const char* group, const char* name);
RUNAHEAD_API const runahead_site* runahead_make_wait_site(const char* name);
// A control keeps the arguments of the first call with its name.
RUNAHEAD_API const runahead_control* runahead_make_switch(const char* name, const char* const* choices,
                                                          std::size_t count, std::size_t first);
RUNAHEAD_API const runahead_control* runahead_make_parameter(const char* name, double value, double least,
                                                             double most);

// Starts a recording. A process has one recording at a time. Returns null if another recording is on or the
// file cannot be written; *error then says why. Free *error with runahead_free().
RUNAHEAD_API runahead_recording* runahead_start(const char* path, char** error);
// The limits of a recording. rotate: how much one file contains before the next file starts. keep_last: how
// much of the end of the recording is kept, while older events are removed. Each is an amount in bytes or in
// nanoseconds; 0: no limit. At most one of the four members may be set.
struct runahead_limits {
  std::uint64_t rotate_bytes;
  std::int64_t rotate_ns;
  std::uint64_t keep_last_bytes;
  std::int64_t keep_last_ns;
};
RUNAHEAD_API runahead_recording* runahead_start_limited(const char* path, const runahead_limits* limits,
                                                        char** error);
// Ends the recording. Returns the first write error (such as a full disk), or null. Free the text with
// runahead_free().
RUNAHEAD_API char* runahead_stop(runahead_recording* recording);
RUNAHEAD_API std::uint64_t runahead_lost(const runahead_recording* recording) noexcept;
// In a child made by fork() of a process that RUNAHEAD_RECORD records: records the child too, into a file of
// its own beside the parent's file. Does nothing in any other process. `name` (may be null) is the child's
// name in a recording that joins several processes. Returns an error, or null. Free the text with
// runahead_free(). Call it after fork() has returned, not in a handler of pthread_atfork().
RUNAHEAD_API char* runahead_record_child(const char* name);
// Ends the recording that RUNAHEAD_RECORD asked for, before the process ends. For a process that ends without
// exit(): by _exit(), by exec, or by a signal. Does nothing if no such recording is on. Returns the first
// write error, or null. Free the text with runahead_free().
RUNAHEAD_API char* runahead_end();
RUNAHEAD_API void runahead_free(char* text) noexcept;
}

namespace runahead {

using Site = runahead_site;

namespace internal {
// Takes over a text of the library.
inline std::string text_of(char* text) {
  std::string copy = text == nullptr ? "" : text;
  runahead_free(text);
  return copy;
}
}  // namespace internal

[[nodiscard]] inline bool recording() noexcept {
  return __atomic_load_n(runahead_recording_now, __ATOMIC_RELAXED) != 0;
}
[[nodiscard]] inline const Site& site(const char* name) { return *runahead_make_site(name); }
[[nodiscard]] inline const Site& site(const std::string& name) { return *runahead_make_site(name.c_str()); }
// A site at a place in a program of another language: its slices have the argument "line", which is
// "FILE:LINE". Sites are never freed, so their number must be limited.
[[nodiscard]] inline const Site& site(const char* name, const char* file, std::uint32_t line) {
  return *runahead_make_site_at(name, file, line);
}

// A slice on the calling thread's track, from the constructor to the destructor of this object. Zones nest.
class Zone {
 public:
  explicit Zone(const Site& of) noexcept : active_(recording()) {
    if (active_) runahead_zone_begin(&of);
  }
  ~Zone() {
    if (active_) runahead_zone_end();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  bool active_;
};

// A track that belongs to no thread, for requests, transfers or coroutines. Its slices may overlap.
class Track {
 public:
  Track(const char* group, const char* name) : track_(runahead_make_track(group, name)) {}
  [[nodiscard]] const runahead_track* get() const noexcept { return track_; }

 private:
  const runahead_track* track_;
};

// A slice on a Track. It begins when this object is constructed, and ends at end(), which may be called on
// another thread.
class AsyncSlice {
 public:
  AsyncSlice(const Track& track, const Site& of) noexcept
      : track_(track.get()), site_(&of), begin_ticks_(recording() ? runahead_ticks() : 0) {}
  AsyncSlice(AsyncSlice&& other) noexcept
      : track_(other.track_), site_(other.site_), begin_ticks_(std::exchange(other.begin_ticks_, 0)) {}
  AsyncSlice& operator=(AsyncSlice&& other) noexcept {
    end();
    track_ = other.track_;
    site_ = other.site_;
    begin_ticks_ = std::exchange(other.begin_ticks_, 0);
    return *this;
  }
  ~AsyncSlice() { end(); }
  void end() noexcept {
    if (begin_ticks_ != 0) runahead_async_slice(track_, site_, std::exchange(begin_ticks_, 0));
  }

 private:
  const runahead_track* track_;
  const Site* site_;
  std::uint64_t begin_ticks_;
};

enum class Unit { kNone, kCount, kBytes, kPerSecond, kBytesPerSecond, kNanoseconds, kRatio };
// A measure is a counter that the window compares before and after a change: the bytes of live memory, or the
// number of steps that were enqueued and are not finished.
enum class Measure { kLiveMemory, kStepsAhead };

// Records how a value changes over time. Each value applies until the next call of set().
class Counter {
 public:
  explicit Counter(const char* name, Unit unit = Unit::kNone, const char* group = "Counters")
      : counter_(runahead_make_counter(group, name, static_cast<int>(unit))) {}
  Counter(const char* name, Measure measure, const char* group = "Counters")
      : counter_(runahead_make_measure(group, name, static_cast<int>(measure))) {}
  void set(double value) const noexcept {
    if (recording()) runahead_counter(counter_, value);
  }

 private:
  const runahead_track* counter_;
};

// Records each block of a memory, from its allocation to its free: the window shows who held memory at any
// time. The live bytes of the known blocks are a counter with Measure::kLiveMemory. A block that was
// allocated while nothing was recorded is not known. A call takes a lock for the time of a look-up.
class Memory {
 public:
  explicit Memory(const char* name, const char* group = "Memory")
      : memory_(runahead_make_memory(group, name)) {}
  void allocated(const Site& by, const void* address, std::size_t size_bytes) const noexcept {
    if (recording()) runahead_allocated(memory_, &by, address, size_bytes);
  }
  void freed(const void* address) const noexcept {
    if (recording()) runahead_freed(memory_, address);
  }

 private:
  runahead_memory* memory_;
};

// mark() ends the current frame and starts the next frame. All frames with the same name are slices on one
// track. The frames with the first name of the process are its steps: the window shows steps/s.
class Frames {
 public:
  explicit Frames(const char* name) : frames_(runahead_make_frames(name)) {}
  void mark() const noexcept {
    if (recording()) runahead_frame(frames_);
  }

 private:
  runahead_frames* frames_;
};

// Records a point in time on the calling thread's track.
inline void instant(const Site& of) noexcept {
  if (recording()) runahead_instant(&of);
}

// An arrow between two zones. It leaves the zone that is open at this call. It enters the zone that is open
// at a later call of flow_in() with the same id, on any thread. An id joins one flow_out() with one flow_in()
// and may then be reused.
inline void flow_out(const Site& of, std::uint64_t id) noexcept {
  if (recording()) runahead_flow_out(&of, id);
}
inline void flow_in(std::uint64_t id) noexcept {
  if (recording()) runahead_flow_in(id);
}
// Like flow_out(), for an arrow that may never arrive: it is then left out, and not counted as lost.
inline void flow_out_optional(const Site& of, std::uint64_t id) noexcept {
  if (recording()) runahead_flow_out_optional(&of, id);
}

// An arrow between two processes, each with its own recording. Both processes know the id; for example, it is
// sent with the message. The arrow leaves the zone that is open at message_out(). It enters the zone that is
// open at message_in() with the same id, usually in another process. An id joins one message_out() with one
// message_in() and may then be reused. An id of 0 is not allowed, and is not recorded. For an arrow within
// one process use flow_out() and flow_in().
inline void message_out(const Site& of, std::uint64_t id) noexcept {
  if (recording()) runahead_message_out(&of, id);
}
inline void message_in(std::uint64_t id) noexcept {
  if (recording()) runahead_message_in(id);
}

// Names the calling thread. May be called before a recording starts, and again later (the last call applies).
inline void name_thread(const char* name) { runahead_name_thread(name); }
// Names the calling thread, and says that it is a frontend: it enqueues work that other threads or a device
// execute. The window shows for how much of the time frontends are blocked (Wait). If no thread is named a
// frontend, each thread that marks a step is one.
inline void name_frontend(const char* name) { runahead_name_frontend(name); }

// The calling thread waits for other work, from the constructor to the destructor of this object. The time
// counts as blocked. wait_site() takes a lock, so call it once for each name and keep its result.
[[nodiscard]] inline const Site& wait_site(const char* name) { return *runahead_make_wait_site(name); }
class Wait {
 public:
  explicit Wait(const Site& of) noexcept : active_(recording()) {
    if (active_) runahead_wait_begin(&of);
  }
  ~Wait() {
    if (active_) runahead_wait_end();
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  bool active_;
};

// A watcher may change the values of the following types. While the program records, `runahead attach` shows
// them and changes them, and `runahead control` changes them from a shell. Each change is marked in the
// recording, so the window compares the time before it with the time after it. Reading a value costs a load.
// The name identifies the value in the process.

// A choice between named possibilities. choice() is the position of the current one.
class Switch {
 public:
  Switch(const char* name, std::initializer_list<const char*> choices, std::size_t first = 0)
      : control_(runahead_make_switch(name, choices.begin(), choices.size(), first)) {}
  [[nodiscard]] std::size_t choice() const noexcept {
    return static_cast<std::size_t>(runahead_control_value(control_));
  }

 private:
  const runahead_control* control_;
};

// A number between two bounds, both included.
class Parameter {
 public:
  Parameter(const char* name, double value, double least, double most)
      : control_(runahead_make_parameter(name, value, least, most)) {}
  [[nodiscard]] double value() const noexcept { return runahead_control_value(control_); }

 private:
  const runahead_control* control_;
};

// How much of a long recording is kept, and in which files. Default: everything, in one file.
struct Limits : runahead_limits {
  Limits() : runahead_limits{0, 0, 0, 0} {}
  // Writes FILE.0001, FILE.0002, ...: starts a new file when the current file contains this many bytes, or
  // events that span this much time.
  static Limits rotate(std::uint64_t bytes) { return of(&runahead_limits::rotate_bytes, bytes); }
  static Limits rotate(std::chrono::nanoseconds time) {
    return of(&runahead_limits::rotate_ns, time.count());
  }
  // Keeps at least the last `bytes` or the last `time` of the recording. The recording is written in parts
  // (files) of a quarter of this amount, and the oldest parts are removed. On disk, the parts take at most
  // 5/4 of the amount. At the end, the parts are joined into one file. During the join, the parts and the new
  // file are on disk together, so they need twice the space.
  static Limits keep_last(std::uint64_t bytes) { return of(&runahead_limits::keep_last_bytes, bytes); }
  static Limits keep_last(std::chrono::nanoseconds time) {
    return of(&runahead_limits::keep_last_ns, time.count());
  }

 private:
  template <typename Member, typename Value>
  static Limits of(Member member, Value value) {
    Limits limits;
    limits.*member = value;
    return limits;
  }
};

// See runahead_record_child() and runahead_end(). Return the error; empty: none.
inline std::string record_child(const char* name = nullptr) {
  return internal::text_of(runahead_record_child(name));
}
inline std::string end_recording() { return internal::text_of(runahead_end()); }

// Records the process into a file, from the constructor to stop() or the destructor. A process has at most
// one recording at a time. Use a Recording on one thread.
class Recording {
 public:
  explicit Recording(const char* path, const Limits& limits = Limits()) {
    char* error = nullptr;
    recording_ = runahead_start_limited(path, &limits, &error);
    take(error);
  }
  explicit Recording(const std::string& path, const Limits& limits = Limits())
      : Recording(path.c_str(), limits) {}
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  [[nodiscard]] bool ok() const { return error_.empty(); }
  // Returns the error in one line: what failed, for which file, why, and what to do. Empty: no error so far.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t lost() const {
    return recording_ != nullptr ? runahead_lost(recording_) : lost_;
  }
  void stop() {
    if (recording_ == nullptr) return;
    lost_ = runahead_lost(recording_);
    take(runahead_stop(std::exchange(recording_, nullptr)));
  }

 private:
  void take(char* error) {
    if (error != nullptr) error_ = internal::text_of(error);
  }
  runahead_recording* recording_ = nullptr;
  std::uint64_t lost_ = 0;
  std::string error_;
};

}  // namespace runahead

#else  // RUNAHEAD_DISABLE

namespace runahead {
struct Site {};
[[nodiscard]] constexpr bool recording() noexcept { return false; }
[[nodiscard]] inline const Site& site(const char*) {
  static constexpr Site kSite{};
  return kSite;
}
[[nodiscard]] inline const Site& site(const std::string& name) { return site(name.c_str()); }
[[nodiscard]] inline const Site& site(const char* name, const char*, std::uint32_t) { return site(name); }
struct Zone {
  explicit constexpr Zone(const Site&) noexcept {}
};
struct Track {
  constexpr Track(const char*, const char*) {}
};
struct AsyncSlice {
  constexpr AsyncSlice(const Track&, const Site&) noexcept {}
  void end() noexcept {}
};
enum class Unit { kNone, kCount, kBytes, kPerSecond, kBytesPerSecond, kNanoseconds, kRatio };
enum class Measure { kLiveMemory, kStepsAhead };
struct Counter {
  explicit constexpr Counter(const char*, Unit = Unit::kNone, const char* = "") {}
  constexpr Counter(const char*, Measure, const char* = "") {}
  void set(double) const noexcept {}
};
struct Memory {
  explicit constexpr Memory(const char*, const char* = "") {}
  void allocated(const Site&, const void*, std::size_t) const noexcept {}
  void freed(const void*) const noexcept {}
};
struct Frames {
  explicit constexpr Frames(const char*) {}
  void mark() const noexcept {}
};
inline void instant(const Site&) noexcept {}
inline void flow_out(const Site&, std::uint64_t) noexcept {}
inline void flow_in(std::uint64_t) noexcept {}
inline void flow_out_optional(const Site&, std::uint64_t) noexcept {}
inline void message_out(const Site&, std::uint64_t) noexcept {}
inline void message_in(std::uint64_t) noexcept {}
inline void name_thread(const char*) {}
inline void name_frontend(const char*) {}
[[nodiscard]] inline const Site& wait_site(const char* name) { return site(name); }
struct Wait {
  explicit constexpr Wait(const Site&) noexcept {}
};
class Switch {
 public:
  constexpr Switch(const char*, std::initializer_list<const char*>, std::size_t first = 0) : first_(first) {}
  [[nodiscard]] constexpr std::size_t choice() const noexcept { return first_; }

 private:
  std::size_t first_;
};
class Parameter {
 public:
  constexpr Parameter(const char*, double value, double, double) : value_(value) {}
  [[nodiscard]] constexpr double value() const noexcept { return value_; }

 private:
  double value_;
};
struct Limits {
  static Limits rotate(std::uint64_t) { return {}; }
  static Limits rotate(std::chrono::nanoseconds) { return {}; }
  static Limits keep_last(std::uint64_t) { return {}; }
  static Limits keep_last(std::chrono::nanoseconds) { return {}; }
};
inline std::string record_child(const char* = nullptr) { return {}; }
inline std::string end_recording() { return {}; }
class Recording {
 public:
  explicit Recording(const std::string&, const Limits& = Limits()) {}
  [[nodiscard]] bool ok() const { return true; }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t lost() const { return 0; }
  void stop() {}

 private:
  std::string error_;
};
}  // namespace runahead

#endif

namespace runahead {

// A place where the program may wait for its device, once in each step. A Switch chooses the policy: "none";
// "each step"; "window:K", which lets the program run K steps ahead; "every:N", which waits in each Nth step.
//
// `mark` returns a Token for all work enqueued so far (such as a recorded CUDA event). `wait` waits for the
// work of a Token. A wait counts as blocked. Use a Barrier on one thread.
template <typename Token>
class Barrier {
 public:
  struct Policies {
    unsigned window = 2, every = 10;
  };
  Barrier(const char* name, std::function<Token()> mark, std::function<void(Token&)> wait,
          Policies policies = Policies())
      : policy_(name, {"none", "each step", ("window:" + std::to_string(policies.window)).c_str(),
                       ("every:" + std::to_string(policies.every)).c_str()}),
        site_(wait_site(name)),
        mark_(std::move(mark)),
        wait_(std::move(wait)),
        policies_(policies) {}

  // Call at the end of each step, after its work was enqueued.
  void step() {
    const std::size_t policy = policy_.choice();
    ++steps_;
    if (policy != kWindow) ahead_.clear();
    if (policy == kNone || (policy == kEvery && steps_ % std::max(policies_.every, 1u) != 0)) return;
    ahead_.push_back(mark_());
    const std::size_t allowed = policy == kWindow ? policies_.window : 0;
    while (ahead_.size() > allowed) {
      const Wait waiting(site_);
      wait_(ahead_.front());
      ahead_.pop_front();
    }
  }

 private:
  enum : std::size_t { kNone, kEachStep, kWindow, kEvery };
  Switch policy_;
  const Site& site_;
  std::function<Token()> mark_;
  std::function<void(Token&)> wait_;
  Policies policies_;
  std::deque<Token> ahead_;  // of the steps that the program has not waited for; used by window:K
  std::uint64_t steps_ = 0;
};

}  // namespace runahead

#define RUNAHEAD_API_JOIN_INNER(a, b) a##b
#define RUNAHEAD_API_JOIN(a, b) RUNAHEAD_API_JOIN_INNER(a, b)
#ifndef RUNAHEAD_DISABLE
#define RUNAHEAD_SITE(text)                                                   \
  ([]() noexcept -> const ::runahead::Site& {                                 \
    static constexpr ::runahead::Site site_here{text, 0, __FILE__, __LINE__}; \
    return site_here;                                                         \
  }())
// A zone from this line to the end of the scope. A scope may have several zones, each on its own source line.
#define RUNAHEAD_ZONE(text) \
  const ::runahead::Zone RUNAHEAD_API_JOIN(runahead_zone_, __LINE__)(RUNAHEAD_SITE(text))
#define RUNAHEAD_INSTANT(text) ::runahead::instant(RUNAHEAD_SITE(text))
#define RUNAHEAD_FLOW_OUT(text, id) ::runahead::flow_out(RUNAHEAD_SITE(text), id)
#define RUNAHEAD_FLOW_IN(id) ::runahead::flow_in(id)
#define RUNAHEAD_MESSAGE_OUT(text, id) ::runahead::message_out(RUNAHEAD_SITE(text), id)
#define RUNAHEAD_MESSAGE_IN(id) ::runahead::message_in(id)
#define RUNAHEAD_FRAME(text)                           \
  do {                                                 \
    static const ::runahead::Frames frames_here(text); \
    frames_here.mark();                                \
  } while (false)
#else
#define RUNAHEAD_SITE(text) (::runahead::site(text))
#define RUNAHEAD_ZONE(text) static_cast<void>(0)
#define RUNAHEAD_INSTANT(text) static_cast<void>(0)
#define RUNAHEAD_FLOW_OUT(text, id) static_cast<void>(id)
#define RUNAHEAD_FLOW_IN(id) static_cast<void>(id)
#define RUNAHEAD_MESSAGE_OUT(text, id) static_cast<void>(id)
#define RUNAHEAD_MESSAGE_IN(id) static_cast<void>(id)
#define RUNAHEAD_FRAME(text) static_cast<void>(0)
#endif
