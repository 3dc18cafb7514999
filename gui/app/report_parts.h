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

// add_run() adds the run and its figures; add_timeline() adds the timeline. Tests read the JSON by its keys,
// so do not rename a key.
void add_run(nlohmann::json& json, const PanelModel& model);
void add_timeline(nlohmann::json& json, const PanelModel& model, const LayoutState& layout,
                  const std::vector<WidgetRect>& widgets);
// Returns the rows of a timeline from the top: for each row its name (to the left of the plot) and the name's
// rectangle in window pixels. `plot`: the rectangle of the timeline's plot.
[[nodiscard]] nlohmann::json rows_json(const TimelineView& view, const PlotRect& plot);

// Returns the lower timeline of a comparison; null: there is none.
[[nodiscard]] nlohmann::json lower_json(const CompareFacts& compare, const LayoutState& layout);

}  // namespace runahead::gui
