#include "gui/panels/details/paint_area.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gui/model/model.h"
#include "gui/panels/details/paint_details_parts.h"
#include "gui/timeline/scene/values.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr std::size_t kMostAreaNames = 30;

// Draws a name close above its figures, which are drawn next.
void name_above_figures(const PanelUi& ui, std::string_view name) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, 0));
  ellipsis_line(ui, name, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleVar();
}

// Draws figures in columns of equal width, aligned right.
template <std::size_t N>
void figure_columns(const PanelUi& ui, const std::array<std::string, N>& figures, bool dim = false) {
  const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x / N;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0) ImGui::SameLine();
    const float begin = left + width * static_cast<float>(i);
    note_fit(ui, figures[i], width - ui.px(4));
    figure_at(ui, figures[i], begin, begin + width, dim);
  }
}

// Draws how many of `count` rows are not shown.
void more_rows(const PanelUi& ui, std::size_t count) {
  if (count > kMostAreaNames)
    wrapped_text(ui, filled(Text::kAreaMoreNames, {std::to_string(count - kMostAreaNames)}), true);
}

void area_names(const PanelUi& ui, const analysis::AreaStatistics& area, Commands& out) {
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  table_line(
      ui, Text::kTableNames, "area:names", "area-names", [&] { return area_name_rows(area); }, out);
  figure_columns<4>(
      ui, {text(Text::kCount), text(Text::kAreaMean), text(Text::kTotal), text(Text::kAreaShare)}, true);
  for (std::size_t i = 0; i < std::min(area.names.size(), kMostAreaNames); ++i) {
    const analysis::AreaName& name = area.names[i];
    name_above_figures(ui, name.name + "  " + kind_name(name.kind));
    figure_columns<4>(ui,
                      {format_count(static_cast<double>(name.count)), format_duration(name.mean),
                       format_duration(name.total), format_percent(name.share)},
                      true);
  }
  more_rows(ui, area.names.size());
}

void area_counters(const PanelModel& model, const PanelUi& ui, const analysis::AreaStatistics& area,
                   Commands& out) {
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  table_line(
      ui, Text::kAreaCounters, "area:counters", "area-counters",
      [&] { return area_counter_rows(model.trace, area); }, out);
  figure_columns<3>(ui, {text(Text::kAreaMin), text(Text::kAreaMean), text(Text::kAreaMax)}, true);
  for (std::size_t i = 0; i < std::min(area.counters.size(), kMostAreaNames); ++i) {
    const analysis::AreaCounter& counter = area.counters[i];
    name_above_figures(ui, track_label(model.trace, counter.counter));
    const trace::Unit unit = model.trace.track(counter.counter).info.unit;
    if (const auto& values = counter.values) {
      figure_columns<3>(ui,
                        {format_value(unit, values->min), format_value(unit, values->mean),
                         format_value(unit, values->max)},
                        true);
    } else {
      const std::string none = text(Text::kNoFigure);
      figure_columns<3>(ui, {none, none, none}, true);
    }
  }
  more_rows(ui, area.counters.size());
}

}  // namespace

void paint_area(const DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  const analysis::Area& wanted = model.timeline.area->content;
  heading(ui, text(Text::kArea));
  if (ImGui::Button(text(Text::kZoomToIt))) out.push_back(TimelineCommand{GlideTo{wanted.range}});
  mark_widget(ui, "zoom_to_area");
  ImGui::SameLine();
  if (ImGui::Button(text(Text::kClear))) out.push_back(TimelineCommand{SetArea{}});
  mark_widget(ui, "clear_area");
  fact_line(ui, text(Text::kDuration), format_duration(wanted.range.duration()));
  const AreaAnswer* const answer = panel.area();
  if (answer == nullptr) return dim_line(ui, text(Text::kMeasuring));
  // Until the figures of this area are computed, the panel shows the previous figures faintly, so that
  // nothing jumps while the user drags. The previous figures cannot be copied.
  const bool stale = answer->asked != wanted;
  ImGui::BeginDisabled(stale);
  const analysis::AreaStatistics& area = answer->statistics;
  fact_line(ui, text(Text::kAreaTracks), std::to_string(area.tracks));
  fact_line(ui, text(Text::kAreaSlices), format_count(static_cast<double>(area.count)));
  if (!answer->asked.lanes.empty()) {
    fact_line(ui, text(Text::kAreaTime),
              stale ? text(Text::kMeasuring)
                    : format_duration(area.total) + "  (" + format_percent(area.filled) + ")");
    tooltip(ui, text(Text::kAreaTimeHint));
  }
  if (!area.counters.empty()) area_counters(model, ui, area, out);
  if (!area.names.empty()) area_names(ui, area, out);
  ImGui::EndDisabled();
}

}  // namespace runahead::gui
