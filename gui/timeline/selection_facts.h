// The properties ("facts") of one slice as text, for the tooltip, the details panel and golden tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

using Facts = std::vector<std::pair<std::string, std::string>>;  // name and value, in display order

// Returns the name of a slice kind, such as "copy to host".
[[nodiscard]] const char* kind_name(trace::SliceKind kind);

// Returns the slice that `ref` identifies. The end of an open slice is set to the watermark. nullopt: the
// slice was evicted, or `ref` is an open slice that has ended since.
[[nodiscard]] std::optional<trace::Slice> find_slice(const trace::Trace& trace, const SliceRef& ref);

// Returns the description of the track's device, as stored in the capture; empty if there is none.
[[nodiscard]] std::string device_text(const trace::Trace& trace, TrackId track);

// Returns the number and the name of an op: "op 12 relu".
[[nodiscard]] std::string op_text(const trace::Trace& trace, OpId op);

// Returns the track's name in all labels and reports, such as "virtual:0 compute (simulated)".
[[nodiscard]] std::string track_label(const trace::Trace& trace, TrackId track);

// Returns the full label of a slice: "wait_to_read: op 4711 matmul", "64.0 MB 5.12 GB/s", "matmul".
[[nodiscard]] std::string slice_label(const trace::Trace& trace, const trace::Slice& slice, bool open);

enum class WaitParts : std::uint8_t { kTold, kLeftOut };

// Returns name, kind, track, begin, duration, bytes and rate, and op of a slice. For a wait, also returns the
// op that the wait was for, and the parts of the waiting time with their shares (WaitParts::kLeftOut omits
// the parts). Then follow the times at which the op was enqueued, became ready, started and ended. Each of
// these times is followed by its difference from the time before it. The slice's arguments come last. The
// result is empty if the slice does not exist.
[[nodiscard]] Facts slice_facts(const trace::Trace& trace, const SliceRef& ref,
                                WaitParts parts = WaitParts::kTold);

// Returns only what a wait was for, and the parts of the waiting time. Empty if the slice is not a wait.
[[nodiscard]] Facts wait_facts(const trace::Trace& trace, const SliceRef& ref);

// Returns which rank came last to a collective, and how long this rank waited for it. Empty: the slice is no
// collective of several ranks, or `marks` is null.
[[nodiscard]] Facts collective_facts(const trace::Trace& trace, const CauseMarks* marks, const SliceRef& ref);

// Returns the facts of an idle gap: the parts of its time with their shares, and the work that ended it.
[[nodiscard]] Facts idle_facts(const trace::Trace& trace, const FoundIdle& idle);

// Returns the facts of an op that has no slice: its number, its name, its step and its times.
[[nodiscard]] Facts op_facts(const trace::Trace& trace, OpId op);

// Returns the facts of a counter in `range`, the time of one pixel: its value at the end of `range`, and its
// exact extremes. Empty if the counter has no value in the range.
[[nodiscard]] Facts counter_facts(const trace::Trace& trace, TrackId track, TimeRange range);

}  // namespace runahead::gui
