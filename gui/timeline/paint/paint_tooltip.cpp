#include "gui/timeline/paint/paint_tooltip.h"

#include <algorithm>
#include <cmath>

#include "gui/text/text.h"
#include "gui/timeline/interaction.h"
#include "gui/timeline/scene/time_scale.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr float kWrapPx = 420, kInstantReachPx = 4;  // at scale 1

void of_name(const trace::Trace& trace, const SceneRow& row, float scale) {
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(track_label(trace, row.track).c_str());
  if (const std::string what = translated(device_text(trace, row.track)); !what.empty()) {
    ImGui::PushTextWrapPos(kWrapPx * scale);
    ImGui::TextUnformatted(what.c_str());
    ImGui::PopTextWrapPos();
  }
  if (row.foldable) ImGui::TextUnformatted(text(Text::kTimelineClickToShow));
  ImGui::TextUnformatted(text(Text::kTrackMenuHint));
  ImGui::EndTooltip();
}

void of_instant(const Scene& scene, std::size_t row, float x_px) {
  for (const SceneInstant& instant : scene.instants) {
    if (instant.row != row || std::abs(instant.x_px - x_px) > kInstantReachPx * scene.size.scale) continue;
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(instant.label.c_str());
    ImGui::EndTooltip();
    return;
  }
}

// Two lines: what the slice is; its kind, duration and track. The details panel has everything else.
void of_slice(const trace::Trace& trace, const Scene& scene, const SliceRef& ref, ImVec2 at) {
  const auto slice = find_slice(trace, ref);
  if (!slice) return;
  std::string more = std::string(kind_name(slice->kind)) + " \u00b7 " + format_duration(slice->duration()) +
                     " \u00b7 " + track_label(trace, ref.track);
  const SceneBox* const box = box_at(scene, at.x, at.y);
  if (box != nullptr && box->count > 1)
    more += " \u00b7 " + format_count(static_cast<double>(box->count)) + " " + text(Text::kTimelineSlices);
  if (box != nullptr && box->count > 1 && box->found)
    more += " \u00b7 " + filled(Text::kTimelineFound, {format_count(static_cast<double>(*box->found))});
  const TextAdvance advance = scene.size.text.value_or(TextAdvance::average(scene.size.scale));
  const float room_px = std::max(kWrapPx * scene.size.scale, advance.width_px(more));
  const std::string name = fit_text(slice_label(trace, *slice, ref.open), room_px, advance);
  // The size is computed for the same reason as in facts_tooltip().
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width_px = std::max(ImGui::CalcTextSize(name.c_str()).x, ImGui::CalcTextSize(more.c_str()).x);
  const float height_px = 2 * ImGui::GetTextLineHeight() + style.ItemSpacing.y;
  ImGui::SetNextWindowSize(ImVec2(std::ceil(width_px + 2 * style.WindowPadding.x),
                                  std::ceil(height_px + 2 * style.WindowPadding.y)));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(name.c_str());
  ImGui::TextDisabled("%s", more.c_str());
  ImGui::EndTooltip();
}

}  // namespace

void facts_tooltip(const Facts& facts) {
  if (facts.empty()) return;
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  // The gap does not depend on ImGui's style, because panels set different spacings in the style.
  const ImVec2 gap(ImGui::GetFontSize(), ImGui::GetFontSize() / 4);
  float names_px = 0, values_px = 0, lines_px = -gap.y;
  for (const auto& [name, value] : facts) {
    const ImVec2 size = ImGui::CalcTextSize(value.c_str());
    names_px = std::max(names_px, ImGui::CalcTextSize(name.c_str()).x);
    values_px = std::max(values_px, size.x);
    lines_px += size.y + gap.y;
  }
  const float values_at_px = padding.x + names_px + gap.x;
  // Computes the tooltip's size instead of leaving it to ImGui. An ImGui window or table that fits itself to
  // its content uses the size of its content in the previous frame, so the first frame would have the wrong
  // size.
  ImGui::SetNextWindowSize(
      ImVec2(std::ceil(values_at_px + values_px + padding.x), std::ceil(lines_px + 2 * padding.y)));
  ImGui::BeginTooltip();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, gap);
  for (const auto& [name, value] : facts) {
    ImGui::TextDisabled("%s", name.c_str());
    ImGui::SameLine(values_at_px);
    ImGui::TextUnformatted(value.c_str());
  }
  ImGui::PopStyleVar();
  ImGui::EndTooltip();
}

void timeline_tooltip(const trace::Trace& trace, const Scene& scene, ImVec2 at) {
  const auto index = row_at(scene, at.y);
  if (!index) return;
  const SceneRow& row = scene.rows[*index];
  if (at.x < 0) return of_name(trace, row, scene.size.scale);
  if (row.kind == SceneRow::Kind::kCounter) {
    const TimeScale scale{scene.view, scene.size.width_px};
    const double x = std::floor(at.x);
    return facts_tooltip(counter_facts(trace, row.track, {scale.time_from_x(x), scale.time_from_x(x + 1)}));
  }
  const auto slice = slice_at(trace, scene, at.x, at.y);
  if (!slice) return of_instant(scene, *index, at.x);
  of_slice(trace, scene, *slice, at);
}

void part_tooltip(const trace::Trace& trace, const TimelineState& state, const Scene& scene, float x_px) {
  const ScenePart* const part = part_at(scene, x_px);
  if (part == nullptr) return;
  const analysis::PartOfRun& of = state.parts[part->index];
  ImGui::BeginTooltip();
  const TextAdvance advance = scene.size.text.value_or(TextAdvance::average(scene.size.scale));
  const std::string name = fit_text(translated(of.name), kWrapPx * scene.size.scale, advance);
  ImGui::TextUnformatted((name + " \u00b7 " + format_duration(range_now(trace, of).duration())).c_str());
  ImGui::TextDisabled("%s", text(part->chosen ? Text::kPartClear : Text::kPartMeasure));
  ImGui::EndTooltip();
}

}  // namespace runahead::gui
