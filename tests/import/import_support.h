// Chrome traces written in a test, imported, and what came of them as text.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// The trace of a file with this text; fails the test and is empty where it is refused.
[[nodiscard]] trace::Trace imported(std::string_view file);
// The message of a file that is refused; fails the test where it is not.
[[nodiscard]] std::string refusal(std::string_view file);
// An array of these events.
[[nodiscard]] std::string events(std::string_view list);

// One line a lane: "process/thread 0: a@10+5 b@20+0{key=1}", times in ns; "!" behind an unfinished slice.
// Then "counter path: 10=3", "instant path: name@5", "flow name: path@1 -> path@2", "lost cause: 3". Tracks
// by path.
[[nodiscard]] std::string trace_text(const trace::Trace& trace);
// Those of its lines that begin with `start`, without it, joined by " | ".
[[nodiscard]] std::string lines_of(const trace::Trace& trace, std::string_view start);

}  // namespace runahead::testing
