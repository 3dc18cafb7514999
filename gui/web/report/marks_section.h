// The section of a page's report with the markers of the trace, and the user's notes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gui/web/report/report_json.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct Marks {
  struct Mark {
    Timestamp at{};
    std::string words;
    bool note = false;
  };
  std::vector<Mark> shown;  // in time order
  std::size_t count = 0;    // with those that are not shown
};

// Returns the marks of the time `range`; nullopt: of the whole trace. The first `most_rows` rows are shown,
// and all notes: a person wrote them.
[[nodiscard]] Marks marks_in(const trace::Trace& trace, const std::optional<TimeRange>& range,
                             std::size_t most_rows);

// Returns the section in the language of the thread.
[[nodiscard]] ReportSection marks_section(const Marks& marks);

}  // namespace runahead::gui
