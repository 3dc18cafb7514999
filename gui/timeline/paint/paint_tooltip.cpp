#include "gui/timeline/paint/paint_tooltip.h"

#include <algorithm>
#include <cmath>

#include "gui/text/text.h"
#include "gui/timeline/causes/cause_names.h"
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
    ImGui::TextUnformatted(translated(instant.label).c_str());
    ImGui::EndTooltip();
    return;
  }
}

// What a wait was for, and the parts of its time. Empty: the slice is no wait, or nothing is known.
Facts facts_of_wait(const trace::Trace& trace, const TimelineState& state, const SliceRef& ref) {
  if (state.hovered_wait && state.hovered_wait->slice == ref) return state.hovered_wait->facts;
  // A trace of another tool has no ops. Another thread finds what its calls waited for (hovered_wait).
  return trace.op_count() > 0 || !trace.open_ops().empty() ? wait_facts(trace, ref) : Facts{};
}

// What the slice is; its kind, duration and track; for a wait, what it waited for. The details panel has
// everything else.
void of_slice(const trace::Trace& trace, const TimelineState& state, const Scene& scene, const SliceRef& ref,
              ImVec2 at) {
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
  Facts facts = facts_of_wait(trace, state, ref);
  for (auto& fact : collective_facts(trace, state.causes.get(), ref)) facts.push_back(std::move(fact));
  for (auto& [name, value] : facts) value = fit_text(value, kWrapPx * scene.size.scale, advance);
  facts_tooltip(facts, fit_text(slice_label(trace, *slice, ref.open), room_px, advance), more);
}

// Returns false if there is no idle time at `at`.
bool of_idle(const trace::Trace& trace, const TimelineState& state, const Scene& scene, ImVec2 at) {
  const auto ref = idle_at(scene, state, at.x, at.y);
  const auto idle = ref ? find_idle(*state.causes, *ref) : std::nullopt;
  if (!idle) return false;
  const TextAdvance advance = scene.size.text.value_or(TextAdvance::average(scene.size.scale));
  Facts facts = idle_facts(trace, *idle);
  for (auto& [name, value] : facts) value = fit_text(value, kWrapPx * scene.size.scale, advance);
  std::string device = idle->device.name;
  if (idle->device.simulated) device += std::string(" (") + text(Text::kTimelineSimulated) + ")";
  facts_tooltip(facts, idle_label(idle->gap), device);
  return true;
}

}  // namespace

void facts_tooltip(const Facts& facts, const std::string& title, const std::string& subtitle) {
  if (facts.empty() && title.empty()) return;
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  // The gap does not depend on ImGui's style, because panels set different spacings in the style.
  const ImVec2 gap(ImGui::GetFontSize(), ImGui::GetFontSize() / 4);
  float names_px = 0, values_px = 0, heads_px = 0, lines_px = -gap.y;
  for (const std::string* const head : {&title, &subtitle}) {
    if (head->empty()) continue;
    const ImVec2 size = ImGui::CalcTextSize(head->c_str());
    heads_px = std::max(heads_px, size.x);
    lines_px += size.y + gap.y;
  }
  for (const auto& [name, value] : facts) {
    const ImVec2 size = ImGui::CalcTextSize(value.c_str());
    names_px = std::max(names_px, ImGui::CalcTextSize(name.c_str()).x);
    values_px = std::max(values_px, size.x);
    lines_px += size.y + gap.y;
  }
  const float values_at_px = padding.x + names_px + gap.x;
  const float right_px = std::max(facts.empty() ? 0 : values_at_px + values_px, padding.x + heads_px);
  // Computes the tooltip's size instead of leaving it to ImGui. An ImGui window or table that fits itself to
  // its content uses the size of its content in the previous frame, so the first frame would have the wrong
  // size.
  ImGui::SetNextWindowSize(ImVec2(std::ceil(right_px + padding.x), std::ceil(lines_px + 2 * padding.y)));
  ImGui::BeginTooltip();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, gap);
  if (!title.empty()) ImGui::TextUnformatted(title.c_str());
  if (!subtitle.empty()) ImGui::TextDisabled("%s", subtitle.c_str());
  for (const auto& [name, value] : facts) {
    ImGui::TextDisabled("%s", name.c_str());
    ImGui::SameLine(values_at_px);
    ImGui::TextUnformatted(value.c_str());
  }
  ImGui::PopStyleVar();
  ImGui::EndTooltip();
}

void timeline_tooltip(const trace::Trace& trace, const TimelineState& state, const Scene& scene, ImVec2 at) {
  const auto index = row_at(scene, at.y);
  if (!index) {
    of_idle(trace, state, scene, at);  // a band also covers the space between two tracks
    return;
  }
  const SceneRow& row = scene.rows[*index];
  if (at.x < 0) return of_name(trace, row, scene.size.scale);
  if (row.kind == SceneRow::Kind::kCounter) {
    const TimeScale scale{scene.view, scene.size.width_px};
    const double x = std::floor(at.x);
    return facts_tooltip(counter_facts(trace, row.track, {scale.time_from_x(x), scale.time_from_x(x + 1)}));
  }
  if (const auto slice = slice_at(trace, scene, at.x, at.y)) return of_slice(trace, state, scene, *slice, at);
  if (!of_idle(trace, state, scene, at)) of_instant(scene, *index, at.x);
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
