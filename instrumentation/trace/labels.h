// The words for kinds, units, roles and flags. All export formats use these words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::trace {

[[nodiscard]] std::string_view slice_kind_key(SliceKind kind);            // "zone", "copy_to_device"
[[nodiscard]] std::string_view flow_kind_key(FlowKind kind);              // "enqueue_to_execute"
[[nodiscard]] std::string_view dependency_kind_key(DependencyKind kind);  // "read_after_write"
[[nodiscard]] std::string_view track_kind_key(TrackKind kind);            // "worker"
[[nodiscard]] std::string_view unit_key(Unit unit);  // "bytes_per_second"; empty for Unit::kNone
[[nodiscard]] std::string_view counter_role_key(CounterRole role);  // "live_bytes"
// The same functions under one name, key_of(): templates that handle all columns of a RowDescription call it
// for any type.
[[nodiscard]] inline std::string_view key_of(SliceKind kind) { return slice_kind_key(kind); }
[[nodiscard]] inline std::string_view key_of(FlowKind kind) { return flow_kind_key(kind); }
[[nodiscard]] inline std::string_view key_of(DependencyKind kind) { return dependency_kind_key(kind); }
// The inverse functions: they return the value for a word, or nullopt if the word is not a key of that type.
[[nodiscard]] std::optional<SliceKind> slice_kind_of(std::string_view key);
[[nodiscard]] std::optional<FlowKind> flow_kind_of(std::string_view key);
[[nodiscard]] std::optional<TrackKind> track_kind_of(std::string_view key);
[[nodiscard]] std::optional<Unit> unit_of(std::string_view key);
[[nodiscard]] std::optional<CounterRole> counter_role_of(std::string_view key);
[[nodiscard]] std::optional<std::uint8_t> slice_flags_of(std::string_view keys);
// "late|failed"; empty for no flags.
[[nodiscard]] std::string slice_flag_keys(std::uint8_t flags);
// The track's own name, plus "(simulated)" if it belongs to a virtual device.
[[nodiscard]] std::string track_name(const TrackInfo& track);
// The names of the track's groups, from the top level down, and of the track itself, joined by '/'.
[[nodiscard]] std::string track_path(const Trace& trace, TrackId track);

}  // namespace runahead::trace
