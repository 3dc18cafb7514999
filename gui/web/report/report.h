// The report of a page: what the window says about a trace in its strip and panels, as tables. It is computed
// when the page is written, with the functions of the panels (gui/answers), and has each text in all
// languages. gui/web/report.js shows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gui/web/report/compared_section.h"
#include "instrumentation/base/time.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct ReportLimits {
  // The report is about this time: it says what the window says about a measured range (range_report.h).
  // nullopt: about the whole trace.
  std::optional<TimeRange> range{};
  std::size_t most_rows = 200;  // of each table
  // Above this many slices, there are no waits, causes and predictions: they read the whole trace several
  // times.
  std::uint64_t most_slices = 5'000'000;
  // Predictions that take longer are left out.
  std::chrono::milliseconds most_predicting{20'000};
};

// Returns the report as one JSON object, or nullopt if `progress` cancelled it. `compared`: its first section
// has this comparison; nullptr: none. For each language code, the
// object has a member with the texts of the page and its sections, in the same order:
//
//   {"en": {"report": TEXT, "keys": TEXT, "sections": [SECTION...]}, ...}
//   SECTION  {"id": WORD, "title": TEXT, "summary": TEXT, "notes": [TEXT...], "tables": [TABLE...]}
//   TABLE    {"caption": TEXT, "columns": [{"name": TEXT, "number": BOOL}...], "rows": [ROW...]}
//   ROW      {"cells": [TEXT...], "bars": [[COLUMN, SHARE]...], "go": PLACE, "parts": [[NAME, VALUE]...]}
//   PLACE    {"track": NUMBER, "lower": BOOL, "from": "NS", "to": "NS"}: a slice, or a time of the trace;
//            "lower": of the lower timeline, which shows side B of a comparison
//
// "bars", "go", "parts", "track" and "lower" may be missing. No text is HTML. `<` and the line ends of
// JavaScript are escaped, so the object can stand in a <script> element.
[[nodiscard]] std::optional<std::string> page_report(const trace::Trace& trace,
                                                     const recordings::Progress& progress = {},
                                                     const ReportLimits& limits = {},
                                                     const PageComparison* compared = nullptr);

}  // namespace runahead::gui
