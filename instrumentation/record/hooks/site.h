// Sites and track descriptions: the static facts that events refer to by address. Interned for the life of
// the process (a few hundred at most), so that an event can carry a pointer and nothing can dangle, whatever
// engine, session or recorder ends first. This table and the recorder in use are the only process-wide
// things.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::record {

// A place in a program that makes events of one name. Has static storage, or comes from intern_site().
struct Site {
  const char* name = "";
  trace::SliceKind kind = trace::SliceKind::kZone;
  const char* file = "";
  std::uint32_t line = 0;
};

// The site of (name, kind); the same address for the same pair. Thread-safe, takes a lock: keep the result.
[[nodiscard]] const Site& intern_site(std::string_view name, trace::SliceKind kind);

// A track as its maker describes it; the collector gives it a TrackId on first use.
struct TrackDesc {
  trace::TrackKind kind = trace::TrackKind::kThread;
  std::string group;   // top-level group: "Frontend", "Workers", "virtual:0", "Memory"; made on first use
  std::string name;    // within the group
  std::string device;  // "cpu", "virtual:0", or empty
  bool simulated = false;
  trace::Unit unit = trace::Unit::kNone;
  trace::CounterRole role = trace::CounterRole::kOther;
  std::int32_t sort_order = 0;  // within the group
  friend bool operator==(const TrackDesc&, const TrackDesc&) = default;
};

// The description equal to `desc`; the same address for equals. Thread-safe, takes a lock: keep the result.
[[nodiscard]] const TrackDesc& intern_track(const TrackDesc& desc);

// Of blocks of memory: of which device, and what for.
struct MemoryKind {
  const TrackDesc* live = nullptr;         // counter of its device's live bytes
  const TrackDesc* of_category = nullptr;  // of those of the category; null: nobody counts them
  const char* category = nullptr;          // a text of static storage
  friend bool operator==(const MemoryKind&, const MemoryKind&) = default;
};

// As intern_track().
[[nodiscard]] const MemoryKind& intern_memory(const MemoryKind& kind);

}  // namespace runahead::record
