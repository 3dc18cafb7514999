// The report's parts for the run and the timelines. Each panel adds its own part. Internal to the app.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gui/app/layout.h"
#include "gui/model/model.h"

namespace runahead::gui {

// [begin, end] in ns; null: none.
[[nodiscard]] nlohmann::json range_json(const std::optional<TimeRange>& range);

// Add the run with its figures, and the timeline, with the keys that tests use.
void add_run(nlohmann::json& json, const PanelModel& model);
void add_timeline(nlohmann::json& json, const PanelModel& model, const LayoutState& layout,
                  const std::vector<WidgetRect>& widgets);
// The names of a timeline, from the top, in window pixels. `plot`: the rectangle of its plot.
[[nodiscard]] nlohmann::json rows_json(const TimelineView& view, const PlotRect& plot);

// The lower timeline of a comparison; null: there is none.
[[nodiscard]] nlohmann::json lower_json(const CompareFacts& compare, const LayoutState& layout);

}  // namespace runahead::gui
