// What is known of one slice, as words: for the tooltip, the details panel and golden tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

using Facts = std::vector<std::pair<std::string, std::string>>;  // name and value, in the order to show them

// "copy to host"
[[nodiscard]] const char* kind_name(trace::SliceKind kind);

// The slice that `ref` names; one that is still open ends at the watermark. nullopt if it is not here (let
// go, or ended meanwhile).
[[nodiscard]] std::optional<trace::Slice> find_slice(const trace::Trace& trace, const SliceRef& ref);

// What the device of that track is, as its capture says; empty where it has none or nothing is said.
[[nodiscard]] std::string device_text(const trace::Trace& trace, TrackId track);

// "virtual:0 compute (simulated)": the track as every label and report names it.
[[nodiscard]] std::string track_label(const trace::Trace& trace, TrackId track);

// What a slice is called where there is room: "wait_to_read: op 4711 matmul", "64.0 MB 5.12 GB/s", "matmul".
[[nodiscard]] std::string slice_label(const trace::Trace& trace, const trace::Slice& slice, bool open);

enum class WaitParts : std::uint8_t { kTold, kLeftOut };

// Name, kind, track, begin, duration, bytes and rate, op; for a wait what it waited for, and (unless they are
// shown otherwise) the parts of its time with their shares; the op's four moments with the differences;
// arguments. Empty if the slice is not here.
[[nodiscard]] Facts slice_facts(const trace::Trace& trace, const SliceRef& ref,
                                WaitParts parts = WaitParts::kTold);

// What is known of an op that has no slice yet: its number and name, its step, its moments.
[[nodiscard]] Facts op_facts(const trace::Trace& trace, OpId op);

// A counter in `range` (a pixel's worth): its value at the end and its exact extremes. Empty where it has
// none.
[[nodiscard]] Facts counter_facts(const trace::Trace& trace, TrackId track, TimeRange range);

}  // namespace runahead::gui
