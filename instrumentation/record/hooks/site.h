// Sites and track descriptions: static data to which events refer by address. They are interned for the life
// of the process, so their number must be limited. Therefore a pointer in an event never dangles, no matter
// which engine, session or recorder ends first. Only these tables and the recorder in use are process-wide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::record {

// A place in the program's code that records events of one name and kind. It has static storage or comes from
// intern_site().
struct Site {
  const char* name = "";
  trace::SliceKind kind = trace::SliceKind::kZone;
  const char* file = "";
  std::uint32_t line = 0;
  // True: the slices of this site have the argument "line", which is "FILE:LINE". False for a place in C++
  // code, whose name usually says enough.
  bool has_place = false;
};

// The site of (name, kind). Equal pairs give the same address. Thread-safe; takes a lock, so keep the result.
[[nodiscard]] const Site& intern_site(std::string_view name, trace::SliceKind kind);
// The site of (name, kind, file, line); has_place is true. An empty file: the site of (name, kind). For
// programs in other languages, whose places are known only at run time.
[[nodiscard]] const Site& intern_site(std::string_view name, trace::SliceKind kind, std::string_view file,
                                      std::uint32_t line);

// A track as its creator describes it. The collector gives it a TrackId on first use.
struct TrackDesc {
  trace::TrackKind kind = trace::TrackKind::kThread;
  std::string group;   // top-level group: "Frontend", "Workers", "virtual:0", "Memory"; made on first use
  std::string name;    // name within the group
  std::string device;  // "cpu", "virtual:0", or empty
  bool simulated = false;
  trace::Unit unit = trace::Unit::kNone;
  trace::CounterRole role = trace::CounterRole::kOther;
  std::int32_t sort_order = 0;  // order within the group
  friend bool operator==(const TrackDesc&, const TrackDesc&) = default;
};

// The interned description equal to `desc`. Equal descriptions give the same address. Thread-safe; takes a
// lock, so keep the result.
[[nodiscard]] const TrackDesc& intern_track(const TrackDesc& desc);

// The kind of a memory block: its device and its purpose.
struct MemoryKind {
  const TrackDesc* live = nullptr;         // counter of the live bytes of the device
  const TrackDesc* of_category = nullptr;  // counter of the live bytes of the category; null: not counted
  const char* category = nullptr;          // static storage
  friend bool operator==(const MemoryKind&, const MemoryKind&) = default;
};

// Works like intern_track(): equal kinds have one address, for the life of the process.
[[nodiscard]] const MemoryKind& intern_memory(const MemoryKind& kind);

}  // namespace runahead::record
