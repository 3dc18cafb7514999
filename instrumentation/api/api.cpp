// Implements runahead.h: C functions that call the recording hooks (record/hooks/hooks.h).
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "instrumentation/api/api_recording.h"
#include "instrumentation/api/memory_blocks.h"
#include "instrumentation/api/runahead.h"
#include "instrumentation/record/controls.h"
#include "instrumentation/record/hooks/hooks.h"

namespace record = runahead::record;
namespace trace = runahead::trace;

// An event contains only the address of its site. The recorder reads the program's runahead_site as a
// record::Site, so both types must have the same layout.
static_assert(sizeof(runahead_site) == sizeof(record::Site) &&
              alignof(runahead_site) == alignof(record::Site));
static_assert(offsetof(runahead_site, name) == offsetof(record::Site, name) &&
              offsetof(runahead_site, kind) == offsetof(record::Site, kind) &&
              offsetof(runahead_site, file) == offsetof(record::Site, file) &&
              offsetof(runahead_site, line) == offsetof(record::Site, line) &&
              offsetof(runahead_site, has_place) == offsetof(record::Site, has_place));
static_assert(static_cast<int>(trace::SliceKind::kZone) == 0 && sizeof(trace::SliceKind) == 1);
static_assert(sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));
static_assert(static_cast<int>(runahead::Unit::kRatio) == static_cast<int>(trace::Unit::kRatio));

struct runahead_frames {
  const record::TrackDesc& track;
  const record::Site& site;
  // The start of the open frame, and the number of the recording in which it started. Each thread that marks
  // a frame reads and writes both values. If two threads mark a frame at the same time, a frame may be
  // missing.
  std::atomic<std::uint64_t> began{0}, generation{0};
  // The frames with the first name of the process are its steps.
  const bool are_steps;
  std::atomic<std::uint64_t> ended{0};  // frames that ended while a recording was on
};

namespace {

const record::Site& site_of(const runahead_site* site) {
  return *reinterpret_cast<const record::Site*>(site);
}
const runahead_track* as_track(const record::TrackDesc& desc) {
  return reinterpret_cast<const runahead_track*>(&desc);
}
const record::TrackDesc& track_of(const runahead_track* track) {
  return *reinterpret_cast<const record::TrackDesc*>(track);
}

const runahead_control* as_control(const record::Control& control) {
  return reinterpret_cast<const runahead_control*>(&control);
}

// The calling thread as the recording names it. A thread that marks the steps is a frontend.
struct ThreadName {
  std::string name;
  bool frontend = false;
};
thread_local ThreadName this_thread;
// True if the program has named a thread a frontend. Relaxed: it publishes no other data.
std::atomic<bool> frontends_named{false};

void name_this_thread() {
  record::name_thread(this_thread.frontend ? trace::TrackKind::kFrontend : trace::TrackKind::kThread,
                      this_thread.name);
}

void end_step(runahead_frames& frames, std::uint64_t now) {
  static const record::TrackDesc& finished =
      record::intern_track({.kind = trace::TrackKind::kCounter,
                            .group = "Throughput",
                            .name = "steps finished",
                            .device = {},
                            .unit = trace::Unit::kCount,
                            .role = trace::CounterRole::kStepsFinished});
  if (!frontends_named.load(std::memory_order_relaxed) && !std::exchange(this_thread.frontend, true))
    name_this_thread();
  const std::uint64_t ended = frames.ended.fetch_add(1, std::memory_order_relaxed) + 1;
  record::counter(finished, now, static_cast<double>(ended));
}

record::FileLimits limits_of(const runahead_limits* limits) {
  if (limits == nullptr) return {};
  return {.rotate = {limits->rotate_bytes, runahead::Duration{limits->rotate_ns}},
          .keep_last = {limits->keep_last_bytes, runahead::Duration{limits->keep_last_ns}}};
}

char* copy_of(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

const std::uint64_t* const runahead_recording_now =
    reinterpret_cast<const std::uint64_t*>(&record::internal::in_use.generation);

std::uint64_t runahead_ticks() noexcept { return record::now_ticks(); }
void runahead_zone_begin(const runahead_site* site) noexcept {
  record::zone_begin(site_of(site), record::now_ticks());
}
void runahead_zone_end() noexcept { record::zone_end(record::now_ticks()); }
void runahead_async_slice(const runahead_track* track, const runahead_site* site,
                          std::uint64_t begin_ticks) noexcept {
  record::async_slice({.site = &site_of(site),
                       .track = &track_of(track),
                       .begin_ticks = begin_ticks,
                       .end_ticks = record::now_ticks()});
}
void runahead_counter(const runahead_track* counter, double value) noexcept {
  record::counter(track_of(counter), record::now_ticks(), value);
}
void runahead_instant(const runahead_site* site) noexcept {
  record::instant_here(site_of(site), record::now_ticks());
}
void runahead_flow_out(const runahead_site* site, std::uint64_t id) noexcept {
  record::flow_out(site_of(site), record::now_ticks(), id);
}
void runahead_flow_out_optional(const runahead_site* site, std::uint64_t id) noexcept {
  record::flow_out(site_of(site), record::now_ticks(), id, true);
}
void runahead_flow_in(std::uint64_t id) noexcept { record::flow_in(record::now_ticks(), id); }
void runahead_message_out(const runahead_site* site, std::uint64_t id) noexcept {
  record::message_out(site_of(site), record::now_ticks(), id);
}
void runahead_message_in(std::uint64_t id) noexcept { record::message_in(record::now_ticks(), id); }

void runahead_frame(runahead_frames* frames) noexcept {
  const std::uint64_t now = record::now_ticks();
  const std::uint64_t generation = record::internal::in_use.generation.load(std::memory_order_relaxed);
  const std::uint64_t began = frames->began.exchange(now, std::memory_order_relaxed);
  if (frames->generation.exchange(generation, std::memory_order_relaxed) != generation || began == 0) return;
  record::async_slice(
      {.site = &frames->site, .track = &frames->track, .begin_ticks = began, .end_ticks = now});
  if (frames->are_steps) end_step(*frames, now);
}

void runahead_name_thread(const char* name) {
  this_thread.name = name;
  name_this_thread();
}
void runahead_name_frontend(const char* name) {
  frontends_named.store(true, std::memory_order_relaxed);
  this_thread = {name, true};
  name_this_thread();
}

const runahead_site* runahead_make_site(const char* name) {
  return reinterpret_cast<const runahead_site*>(&record::intern_site(name, trace::SliceKind::kZone));
}
const runahead_site* runahead_make_site_at(const char* name, const char* file, std::uint32_t line) {
  return reinterpret_cast<const runahead_site*>(
      &record::intern_site(name, trace::SliceKind::kZone, file, line));
}
const runahead_track* runahead_make_track(const char* group, const char* name) {
  return as_track(
      record::intern_track({.kind = trace::TrackKind::kAsync, .group = group, .name = name, .device = {}}));
}
const runahead_track* runahead_make_counter(const char* group, const char* name, int unit) {
  const bool known = unit >= 0 && unit < trace::kUnitCount;
  return as_track(
      record::intern_track({.kind = trace::TrackKind::kCounter,
                            .group = group,
                            .name = name,
                            .device = {},
                            .unit = known ? static_cast<trace::Unit>(unit) : trace::Unit::kNone}));
}

const runahead_track* runahead_make_measure(const char* group, const char* name, int measure) {
  const bool memory = measure == static_cast<int>(runahead::Measure::kLiveMemory);
  return as_track(record::intern_track(
      {.kind = trace::TrackKind::kCounter,
       .group = group,
       .name = name,
       .device = {},
       .unit = memory ? trace::Unit::kBytes : trace::Unit::kCount,
       .role = memory ? trace::CounterRole::kLiveBytes : trace::CounterRole::kRunAheadSteps}));
}

runahead_memory* runahead_make_memory(const char* group, const char* name) {
  return &runahead::api::memory_of(group, name);
}
// A block that is not recorded, because the process has no memory left, is no reason to end the process.
void runahead_allocated(runahead_memory* memory, const runahead_site* by, const void* address,
                        std::size_t size_bytes) noexcept try {
  memory->allocated(by != nullptr ? &site_of(by) : nullptr, address, size_bytes);
} catch (const std::bad_alloc&) {
}
void runahead_freed(runahead_memory* memory, const void* address) noexcept { memory->freed(address); }

void runahead_wait_begin(const runahead_site* site) noexcept {
  record::wait_begin(site_of(site), record::now_ticks(), runahead::kNoOp);
}
void runahead_wait_end() noexcept { record::wait_end(record::now_ticks(), runahead::kNoOp); }
const runahead_site* runahead_make_wait_site(const char* name) {
  return reinterpret_cast<const runahead_site*>(&record::intern_site(name, trace::SliceKind::kWait));
}

const runahead_control* runahead_make_switch(const char* name, const char* const* choices, std::size_t count,
                                             std::size_t first) {
  return as_control(record::make_switch(name, {choices, choices + count}, first));
}
const runahead_control* runahead_make_parameter(const char* name, double value, double least, double most) {
  return as_control(record::make_number(name, value, least, most));
}
double runahead_control_value(const runahead_control* control) noexcept {
  return reinterpret_cast<const record::Control*>(control)->value.load(std::memory_order_relaxed);
}

runahead_frames* runahead_make_frames(const char* name) {
  static std::mutex mutex;
  // Frames are never deleted, because programs keep pointers to them.
  static auto* const all = new std::map<std::string, std::unique_ptr<runahead_frames>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<runahead_frames>& frames = (*all)[name];
  if (!frames) {
    frames.reset(new runahead_frames{
        record::intern_track(
            {.kind = trace::TrackKind::kAsync, .group = "Frames", .name = name, .device = {}}),
        record::intern_site(name, trace::SliceKind::kStep),
        {0},
        {0},
        all->size() == 1,
        {0}});
  }
  return frames.get();
}

runahead_recording* runahead_start(const char* path, char** error) {
  return runahead_start_limited(path, nullptr, error);
}

runahead_recording* runahead_start_limited(const char* path, const runahead_limits* limits, char** error) {
  *error = nullptr;
  runahead::Result<runahead_recording*> started = runahead::api::start_recording(path, limits_of(limits));
  if (started) return *started;
  *error = copy_of(started.error().message);
  return nullptr;
}

char* runahead_stop(runahead_recording* recording) {
  const runahead::Status ended = runahead::api::stop_recording(recording);
  return ended ? nullptr : copy_of(ended.error().message);
}

char* runahead_record_child(const char* name) {
  // The calling thread was a thread of the parent. What it was named there does not hold here.
  this_thread.frontend = false;
  frontends_named.store(false, std::memory_order_relaxed);
  const runahead::Status begun = runahead::api::record_forked_child(name == nullptr ? "" : name);
  return begun ? nullptr : copy_of(begun.error().message);
}

char* runahead_end() {
  const runahead::Status ended = runahead::api::stop_own_recording();
  return ended ? nullptr : copy_of(ended.error().message);
}

std::uint64_t runahead_lost(const runahead_recording* recording) noexcept {
  return runahead::api::lost_events(recording);
}

void runahead_free(char* text) noexcept { std::free(text); }

}  // extern "C"
