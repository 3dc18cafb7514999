// What the report says of each panel that a person works in. Internal to the app.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gui/app/layout.h"
#include "gui/graph/graph_view.h"
#include "gui/panels/model.h"

namespace runahead::gui {

// [begin, end] in ns; null: none.
[[nodiscard]] nlohmann::json range_json(const std::optional<TimeRange>& range);

// null where the panel is not shown, or there is no lesson.
[[nodiscard]] nlohmann::json graph_json(const PanelModel& model, const GraphView& view);
[[nodiscard]] nlohmann::json find_json(const PanelModel& model);
[[nodiscard]] nlohmann::json query_json(const PanelModel& model);
[[nodiscard]] nlohmann::json waits_json(const PanelModel& model);
[[nodiscard]] nlohmann::json memory_json(const PanelModel& model);
[[nodiscard]] nlohmann::json compare_json(const PanelModel& model, const LayoutState& layout);
[[nodiscard]] nlohmann::json lesson_json(const PanelModel& model);

}  // namespace runahead::gui
