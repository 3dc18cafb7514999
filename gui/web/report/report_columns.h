// Small parts of the tables of a report. Each text is in the language of the thread.
#pragma once

#include <cstddef>
#include <string>

#include "gui/text/text.h"
#include "gui/web/report/report_json.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

[[nodiscard]] inline ReportColumn words_column(Text name) { return {text(name), false}; }
[[nodiscard]] inline ReportColumn number_column(Text name) { return {text(name), true}; }

[[nodiscard]] inline std::string time_words(Timestamp at) { return format_axis_time(at, Duration{1000}); }

[[nodiscard]] inline ReportPlace time_place(TimeRange range) { return {kNoTrack, range}; }

// Keeps the first rows of the table, and says in the section how many there were.
inline void limit_rows(std::size_t most, std::size_t count, ReportSection& section, ReportTable& table) {
  if (table.rows.size() > most) table.rows.resize(most);
  if (count <= table.rows.size()) return;
  section.notes.push_back(
      filled(Text::kReportLeftOut, {std::to_string(table.rows.size()), std::to_string(count)}));
}

}  // namespace runahead::gui
