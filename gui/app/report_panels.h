// What the report says of the run, of the timeline and of each panel that a person works in. Internal to the
// app.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gui/app/layout.h"
#include "gui/graph/graph_view.h"
#include "gui/model/model.h"

namespace runahead::gui {

// [begin, end] in ns; null: none.
[[nodiscard]] nlohmann::json range_json(const std::optional<TimeRange>& range);

// The run and its figures; the timeline; by the keys that a test knows.
void add_run(nlohmann::json& json, const PanelModel& model);
void add_timeline(nlohmann::json& json, const PanelModel& model, const LayoutState& layout,
                  const std::vector<WidgetRect>& widgets);
// The names of a timeline, from the top, in pixels of the window. `plot`: where its plot was drawn.
[[nodiscard]] nlohmann::json rows_json(const TimelineView& view, const PlotRect& plot);

// null where the panel is not shown, or there is no lesson.
[[nodiscard]] nlohmann::json graph_json(const PanelModel& model, const GraphView& view);
[[nodiscard]] nlohmann::json find_json(const PanelModel& model);
[[nodiscard]] nlohmann::json query_json(const PanelModel& model);
[[nodiscard]] nlohmann::json waits_json(const PanelModel& model);
[[nodiscard]] nlohmann::json memory_json(const PanelModel& model);
[[nodiscard]] nlohmann::json compare_json(const PanelModel& model, const LayoutState& layout);
[[nodiscard]] nlohmann::json lesson_json(const PanelModel& model);

}  // namespace runahead::gui
