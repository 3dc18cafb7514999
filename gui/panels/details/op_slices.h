// Finds the slices that are linked to a slice by one flow: the slices at the other ends of the flows that
// leave or enter it. The details panel lists these slices, so that the user can go to each of them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gui/text/text.h"
#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct LinkedSlice {
  SliceRef slice;
  trace::FlowKind kind{};
  bool outgoing = false;  // true: the flow leaves the slice; false: the flow enters it
  Timestamp at{};         // time of the flow's end at the other slice
};

// Returns the slice of `track` that a flow leaves or enters at `at`: a slice that contains `at` or ends at
// `at`. If there are several such slices, returns the deepest.
[[nodiscard]] std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at);

// Returns the slices at the other ends of the flows that leave or enter the slice `ref`. Looks at no more
// than `limit` flows of the slice's op. Returns nothing if the slice has no op or does not exist.
[[nodiscard]] std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref,
                                                     std::size_t limit);

// Returns the slices at the other ends of those flows of `chain` that leave or enter the slice `ref`. For a
// slice without an op, for example a kernel in a trace of another tool, this function is the only source of
// links. REQUIRES: `chain` is the flow chain of the selected slice `ref`.
[[nodiscard]] std::vector<LinkedSlice> links_of_chain(const trace::Trace& trace, const FlowChain& chain,
                                                      const SliceRef& ref);

// Returns the slice of the op whose end made the op of `ref` ready. nullopt: the op was ready when it was
// enqueued, or the earlier op is not in the trace. O(lanes * log rows).
[[nodiscard]] std::optional<SliceRef> made_ready_by(const trace::Trace& trace, const SliceRef& ref);

// The ops that became ready when the op of a slice ended.
struct MadeReady {
  struct Op {
    SliceRef slice;      // the execution of the op
    Duration started{};  // how long after the end of the earlier op it started
    friend bool operator==(const Op&, const Op&) = default;
  };
  // The question that the other members answer.
  struct Key {
    std::uint64_t trace = 0, version = 0;  // Trace::identity(), Trace::version()
    std::optional<SliceRef> slice;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key;
  std::vector<Op> ops;        // the op that started first comes first
  std::uint64_t omitted = 0;  // number of further ops, including those whose execution is not in the trace
  bool all = true;  // false: not all dependents of the op were read, because there are many, or because
                    // they are in many blocks
};
inline constexpr std::size_t kMostMadeReady = 12;
// Returns the ops that became ready when the op of `ref` ended, at most `most` of them. Nothing: the op has
// not ended, the slice `ref` does not end with its op (it is an enqueue or a wait), or the trace has no
// dependencies. Reads a limited number of dependents and blocks of dependencies.
[[nodiscard]] MadeReady made_ready(const trace::Trace& trace, const SliceRef& ref,
                                   std::size_t most = kMostMadeReady);
// Updates `out` for the slice `ref`. Does nothing if `out` is up to date.
void update_made_ready(const trace::Trace& trace, const SliceRef& ref, MadeReady& out);

// Describes where the slice `linked` is: its process if this is another one, the slice that contains it, and
// how much earlier or later than the slice `ref` it began: ", in aten::addmm, 14.7 ms earlier".
[[nodiscard]] std::string where_linked(const trace::Trace& trace, const SliceRef& linked,
                                       const SliceRef& ref);

// The time from the enqueue of an op to its end, in parts: until it was ready, until it started, until it
// ended. Parts whose ends are not known are omitted.
struct OpPart {
  Text name{};
  Duration duration{};
};
[[nodiscard]] std::vector<OpPart> op_parts(const trace::OpRow& op);

}  // namespace runahead::gui
