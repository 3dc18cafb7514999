#include <algorithm>
#include <cmath>
#include <iterator>

#include "gui/panels/compare/paint_compare.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::NamePair;

// Draws the percentiles of both sides, with ratios.
void percentiles(const PanelUi& ui, const NamePair& pair) {
  if (!ImGui::BeginTable("##percentiles", 6, ImGuiTableFlags_NoSavedSettings)) return;
  const auto ratio = [&](Duration a, Duration b) {
    if (pair.a.count == 0 || pair.b.count == 0) return std::string();
    return ratio_words(analysis::ratio_of(static_cast<double>(ns_from(a)), static_cast<double>(ns_from(b))));
  };
  constexpr std::size_t kShown[]{0, 1, 3};
  const auto row = [&](const auto& first, const auto& cell) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    first();
    for (const std::size_t i : kShown) number_cell(cell(i));
    number_cell(cell(std::size(analysis::kHistogramPercents)));
  };
  const auto of = [](const analysis::DurationHistogram& side, std::size_t i) -> Duration {
    return i < side.percentiles.size() ? side.percentiles[i] : side.max;
  };
  ImGui::PushFont(ui.fonts.small);
  row([] {},
      [](std::size_t i) {
        static constexpr const char* kNames[]{"p50", "p90", "", "p99", ""};
        return std::string(i < std::size(kNames) ? kNames[i] : text(Text::kFindMost));
      });
  row([&] { side_tag(ui, CompareSide::kA); },
      [&](std::size_t i) { return pair.a.count > 0 ? format_duration(of(pair.a, i)) : ""; });
  row([&] { side_tag(ui, CompareSide::kB); },
      [&](std::size_t i) { return pair.b.count > 0 ? format_duration(of(pair.b, i)) : ""; });
  row([&] { dim_line(ui, "B/A"); }, [&](std::size_t i) { return ratio(of(pair.a, i), of(pair.b, i)); });
  ImGui::PopFont();
  ImGui::EndTable();
}

// Draws "A < > 12 of 812": buttons that step through the slices of the clicked bar.
void stepper(const PanelModel& model, const PanelUi& ui, CompareSide side, Commands& out) {
  const ListedSlices& listed = model.compare.listed[static_cast<std::size_t>(side)];
  const std::string id = side == CompareSide::kA ? "compare:a" : "compare:b";
  const float row_y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(row_y + ImGui::GetStyle().FramePadding.y);
  side_tag(ui, side);
  ImGui::SameLine(0, ui.px(6));
  ImGui::SetCursorPosY(row_y);
  const bool any = !listed.slices.empty();
  const ButtonLook back{.label = "<", .enabled = any}, on{.label = ">", .enabled = any};
  if (tool_button(ui, (id + ":previous").c_str(), back)) out.push_back(StepCompared{side, -1});
  ImGui::SameLine(0, ui.px(2));
  if (tool_button(ui, (id + ":next").c_str(), on)) out.push_back(StepCompared{side, 1});
  ImGui::SameLine(0, ui.px(6));
  std::string words = format_count(static_cast<double>(listed.count));
  if (any) words = filled(Text::kTimelineOf, {std::to_string(listed.at + 1), words});
  ImGui::AlignTextToFramePadding();
  dim_line(ui, words);
}

}  // namespace

void compared_name(const PanelModel& model, const PanelUi& ui, const NamePair& pair, Commands& out) {
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, pair.name + ", " + kind_name(pair.kind), width);
  ImGui::PopFont();
  percentiles(ui, pair);
  const std::optional<CompareSlices>& asked = model.compare.asked_slices;
  const bool of_it = asked && asked->name == pair.name && asked->kind == pair.kind;
  const float lines = of_it ? ImGui::GetFrameHeightWithSpacing() + ui.px(4) : 0;
  const ImVec2 room(width, std::max(ui.px(48), ImGui::GetContentRegionAvail().y - lines));
  if (const auto bin = draw_overlaid_histograms(ui, pair.a, pair.b, room))
    out.push_back(ShowCompared{{pair.name, pair.kind, bin->least, bin->most}});
  if (!of_it) return;
  const float left = ImGui::GetCursorPosX();
  stepper(model, ui, CompareSide::kA, out);
  ImGui::SameLine(left + width / 2);
  stepper(model, ui, CompareSide::kB, out);
}

}  // namespace runahead::gui
