// The parts of the report (report.h) about the run and the timelines. Each panel adds its own part. Internal
// to the app.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gui/app/layout.h"
#include "gui/model/model.h"

namespace runahead::gui {

// Returns [begin, end] in ns; null: there is no range.
[[nodiscard]] nlohmann::json range_json(const std::optional<TimeRange>& range);

// These functions add the run with its figures, and the timeline. Tests use the JSON keys.
void add_run(nlohmann::json& json, const PanelModel& model);
void add_timeline(nlohmann::json& json, const PanelModel& model, const LayoutState& layout,
                  const std::vector<WidgetRect>& widgets);
// Returns the names to the left of a timeline: the names of its rows from the top, in window pixels. `plot`:
// the rectangle of the timeline's plot.
[[nodiscard]] nlohmann::json rows_json(const TimelineView& view, const PlotRect& plot);

// Returns the lower timeline of a comparison; null: there is none.
[[nodiscard]] nlohmann::json lower_json(const CompareFacts& compare, const LayoutState& layout);

}  // namespace runahead::gui
