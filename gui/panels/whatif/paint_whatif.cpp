#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "gui/model/model.h"
#include "gui/panels/whatif/paint_whatif_parts.h"
#include "gui/panels/whatif/whatif_panel.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using predict::Candidate;

constexpr float kListShare = 0.64f, kListShareWithoutCurve = 0.74f, kRoomForCurvePx = 760, kCurvePx = 180,
                kLeastListPx = 90;
constexpr float kGainWordsPx = 62, kTimelineNamePx = 320;

bool has_memory(const WhatIfAnswer& answer) { return !answer.replay().run().program.memories.empty(); }

// A bar beside the gain; the longest bar is that of the largest gain or loss in the list.
void gain_cell(const PanelUi& ui, double gain, double most) {
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float words = ui.px(kGainWordsPx), room = ImGui::GetContentRegionAvail().x - words;
  const std::string figure = gain_words(gain);
  const float blank = words - ui.px(8) - ImGui::CalcTextSize(figure.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(blank, 0.0f));
  text_line(figure);
  if (room < ui.px(8) || most <= 0) return;
  const float height = ImGui::GetTextLineHeight(), inset = std::floor(height * 0.2f);
  const float length = std::max(room * static_cast<float>(std::abs(gain) / most), ui.px(1));
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x + words, at.y + inset),
                                            ImVec2(at.x + words + length, at.y + height - inset),
                                            rgba(gain < 0 ? ui.theme.warning : ui.theme.good), ui.px(2));
}

void candidate_row(WhatIfPanel& panel, const PanelUi& ui, std::size_t index, double most) {
  const WhatIfAnswer& answer = *panel.answer();
  const Candidate& candidate = answer.ranked->candidates[index];
  const bool live = panel.view.source.grows;
  if (row_button(ui, "whatif:row:", index, false) && !live) panel.view.timeline_wanted = candidate.changes;
  tooltip(ui, filled(live ? Text::kWhatIfRowLiveHint : Text::kWhatIfRowHint,
                     {predict::joined(candidate.changes)}));
  ellipsis_line(ui, candidate_words(candidate), ImGui::GetContentRegionAvail().x);
  number_cell(rate_words(candidate));
  gain_cell(ui, candidate.gain, most);
  if (has_memory(answer)) number_cell(whatif_memory(candidate, true));
}

void candidates_table(WhatIfPanel& panel, const PanelUi& ui, ImVec2 size) {
  const std::vector<Candidate>& candidates = panel.answer()->ranked->candidates;
  if (candidates.empty()) return wrapped_text(ui, text(Text::kWhatIfNothing), true);
  constexpr ImGuiTableFlags kFlags = kListTable & ~ImGuiTableFlags_Sortable;
  const bool memory = has_memory(*panel.answer());
  if (!ImGui::BeginTable(memory ? "##candidates" : "##without_memory", memory ? 4 : 3, kFlags, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  list_column(Text::kWhatIfChange, 0, memory ? 2.6f : 4.2f);
  list_column(Text::kStepsRate, 0, memory ? 2.0f : 1.7f);
  list_column(Text::kWhatIfGain, 0, 1.5f);
  if (memory) list_column(Text::kPeakMemory, 0, 1.5f);
  table_headers(ui, 1);
  double most = 0;
  for (const Candidate& candidate : candidates) most = std::max(most, std::abs(candidate.gain));
  for (std::size_t i = 0; i < candidates.size(); ++i) candidate_row(panel, ui, i, most);
  ImGui::EndTable();
}

// Shows a predicted timeline that is ready below the real one.
void show_timeline(WhatIfPanel& panel, const PanelUi& ui, Commands& out) {
  std::optional<PredictionAnswer> ready = panel.take_timeline();
  if (!ready) return;
  const std::string changes = predict::joined(ready->changes);
  std::string name =
      filled(Text::kWhatIfTimelineName, {shortened(ImGui::GetFont(), changes, ui.px(kTimelineNamePx))});
  std::ranges::replace(name, '/', ' ');  // a name of a file
  out.push_back(
      CompareWith{std::move(ready->timeline), std::move(name), panel.answer()->replay().run().range});
}

std::string state_words(const WhatIfPanel& panel, const PanelModel& model) {
  const WhatIfAnswer* const answer = panel.answer();
  if (answer != nullptr) return answer->replayed() ? whatif_summary(*answer) : "";
  if (panel.view.source.wanted()) return filled(Text::kWhatIfRanking, {format_percent(panel.done())});
  return text(model.live() ? Text::kWhatIfUnsteady : Text::kWhatIfGrows);
}

void whatif_header(WhatIfPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::AlignTextToFramePadding();
  bold_line(ui, text(Text::kPanelWhatIf));
  mark_widget(ui, "whatif");
  ImGui::SameLine(0, ui.px(16));
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, state_words(panel, model),
                ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(16), true);
  const WhatIfAnswer* const answer = panel.answer();
  const bool any = answer != nullptr && answer->trusted();
  const MakeRows rows = [=] { return whatif_rows(*answer); };
  list_end(ui, panel, "whatif", Text::kWhatIfCloseHint, any ? rows : nullptr, out);
}

void left_part(WhatIfPanel& panel, const PanelUi& ui) {
  paint_hand(panel, ui);
  candidates_table(panel, ui, ImVec2(0, std::max(ImGui::GetContentRegionAvail().y, ui.px(kLeastListPx))));
}

void right_part(const WhatIfPanel& panel, const PanelUi& ui) {
  wrapped_text(ui, text(Text::kWhatIfNoContention), true);
  for (const std::string& note : panel.answer()->replay().run().notes)
    wrapped_text(ui, translated(note), true);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  paint_window_curve(ui, *panel.answer(), ImVec2(room.x, std::max(room.y, ui.px(kCurvePx) / 2)));
}

}  // namespace

void paint_panel(WhatIfPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  panel.view.source = whatif_source(model);
  panel.view.chooses = model.live() && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  whatif_header(panel, model, ui, out);
  const WhatIfAnswer* const answer = panel.answer();
  panel.view.first_frame = false;
  if (answer == nullptr) return;
  panel.view.first_frame = std::exchange(panel.view.drawn, answer->number) != answer->number;
  if (!answer->trusted()) {
    wrapped_text(ui, refusal_text(*answer));
    mark_widget(ui, "whatif:refusal");
    return;
  }
  show_timeline(panel, ui, out);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < ui.px(kRoomForCurvePx)) {
    ImGui::BeginChild("##whatif_all", room);
    left_part(panel, ui);
    right_part(panel, ui);
    ImGui::EndChild();
    return;
  }
  const float gap = ui.px(16), share = answer->curve.empty() ? kListShareWithoutCurve : kListShare;
  const float left = std::floor(room.x * share);
  ImGui::BeginChild("##whatif_list", ImVec2(left, room.y));
  left_part(panel, ui);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##whatif_curve", ImVec2(0, room.y));
  right_part(panel, ui);
  ImGui::EndChild();
}

}  // namespace runahead::gui
