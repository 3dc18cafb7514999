// Imports Chrome traces that a test writes, and shows the result as text.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Imports a file with this text and returns its trace. If the import refuses the file, the test fails and the
// trace is empty.
[[nodiscard]] trace::Trace imported(std::string_view file);
// Returns the error message for a file that the import must refuse. If the import accepts the file, the test
// fails.
[[nodiscard]] std::string refusal(std::string_view file);
// A JSON array of these events.
[[nodiscard]] std::string events(std::string_view list);

// One line per lane: "process/thread 0: a@10+5 b@20+0{key=1}", times in ns; "!" after an unfinished slice.
// Then "counter path: 10=3", "instant path: name@5", "flow name: path@1 -> path@2", "lost cause: 3". Tracks
// are sorted by path.
[[nodiscard]] std::string trace_text(const trace::Trace& trace);
// The lines of trace_text() that begin with `start`, without `start`, joined by " | ".
[[nodiscard]] std::string lines_of(const trace::Trace& trace, std::string_view start);

// The track with this path, and the first slice with this name. If there is none, the test fails.
[[nodiscard]] const trace::Track& track_named(const trace::Trace& trace, std::string_view path);
[[nodiscard]] trace::Slice slice_named(const trace::Trace& trace, std::string_view name);

}  // namespace runahead::testing
