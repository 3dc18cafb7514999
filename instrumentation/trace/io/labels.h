// What exports call things: the same words in every format.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::trace::io {

[[nodiscard]] std::string_view slice_kind_key(SliceKind kind);  // "zone", "copy_to_device"
[[nodiscard]] std::string_view flow_kind_key(FlowKind kind);    // "enqueue_to_execute"
// "late|failed"; empty for none.
[[nodiscard]] std::string slice_flag_keys(std::uint8_t flags);
// A track's own name, with "(simulated)" where it belongs to a virtual device.
[[nodiscard]] std::string track_name(const TrackInfo& track);
// The names from the top-level group down, joined by '/'.
[[nodiscard]] std::string track_path(const Trace& trace, TrackId track);

}  // namespace runahead::trace::io
