// The report of a page as values, and as JSON (gui/web/report/report.h describes the members).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// A slice, if `track` is known and a slice of it has this range; otherwise a time.
struct ReportPlace {
  TrackId track = kNoTrack;
  TimeRange range;
  bool lower = false;  // on the lower timeline of a comparison
};
struct ReportColumn {
  std::string name;
  bool number = false;  // its cells are aligned at the right
};
struct ReportRow {
  std::vector<std::string> cells;
  std::vector<std::pair<std::size_t, double>> bars{};  // columns with a bar, and its length, -1..1
  std::optional<ReportPlace> go{};
  std::vector<std::pair<std::string, std::string>> parts{};
};
struct ReportTable {
  std::string caption;
  std::vector<ReportColumn> columns;
  std::vector<ReportRow> rows;
};
struct ReportSection {
  std::string id, title;
  std::string summary{};
  std::vector<std::string> notes{};
  std::vector<ReportTable> tables{};
};
struct ReportOfLanguage {
  std::string code, report, keys;
  std::vector<ReportSection> sections;
};

[[nodiscard]] std::string report_json(const std::vector<ReportOfLanguage>& languages);

}  // namespace runahead::gui
