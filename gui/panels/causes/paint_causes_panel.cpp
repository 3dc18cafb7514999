#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/model/model.h"
#include "gui/panels/causes/causes_panel.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/paint/cause_colours.h"
#include "gui/widgets/share_bar.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr float kFindingsShare = 0.5f, kRoomForTwoPx = 760, kRoomForThreePx = 1400;
constexpr float kCostPx = 104;  // the column of costs

double causes_ratio(Duration part, Duration all) {
  return all <= Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(all.count());
}

std::string time_and_share(Duration time, double share) {
  return format_duration(time) + " (" + format_percent(share) + ")";
}

// ---- findings ---------------------------------------------------------------------------------------------

// The cost of a finding, below it the cost per step, and the gain that is predicted without it.
void cost_column(const CausesPanel& panel, const PanelUi& ui, const ShownFinding& shown) {
  ImGui::BeginGroup();
  const bool costs = shown.finding.cost > Duration{};
  bold_line(ui, costs ? format_duration(shown.finding.cost) : text(Text::kNoFigure));
  if (const auto per_step = cost_per_step(shown)) {
    const std::string words = filled(Text::kCausesPerStep, {format_duration(*per_step)});
    dim_line(ui, in_lines(words, ui.px(kCostPx) - ui.px(8)));
  }
  if (const auto gain = panel.predicted_gain(shown.finding)) {
    const std::string words =
        filled(Text::kCausesPredicted, {(*gain > 0 ? "+" : "") + format_percent(*gain)});
    text_line(in_lines(words, ui.px(kCostPx) - ui.px(8)));
  }
  ImGui::EndGroup();
}

// Draws a finding as a block that can be clicked.
void finding_block(const CausesPanel& panel, const PanelModel& model, const PanelUi& ui, std::size_t index,
                   Commands& out) {
  const CausesAnswer& answer = *panel.answer();
  const ShownFinding& shown = answer.findings[index];
  const causes::Finding& finding = shown.finding;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(static_cast<int>(index));
  draw.ChannelsSplit(2);  // the highlight of the block is drawn last, and lies behind the words
  draw.ChannelsSetCurrent(1);
  ImGui::BeginGroup();
  cost_column(panel, ui, shown);
  ImGui::SameLine(ui.px(kCostPx), 0);
  ImGui::BeginGroup();
  wrapped_text(ui, finding_text(shown));
  if (!finding.help.empty()) wrapped_text(ui, translated(finding.help), true);
  ImGui::EndGroup();
  ImGui::EndGroup();
  const float height = ImGui::GetItemRectSize().y;
  draw.ChannelsSetCurrent(0);
  ImGui::SetCursorPos(at);
  if (ImGui::Selectable("##finding", false, 0, ImVec2(width, height))) {
    for (Command& command : show_evidence(model.trace, model.timeline, *answer.marks, finding))
      out.push_back(std::move(command));
  }
  mark_widget(ui, "causes:finding:" + std::to_string(index));
  if (!finding.range.empty()) tooltip(ui, text(Text::kCausesGoThere));
  draw.ChannelsMerge();
  ImGui::PopID();
  ImGui::Dummy(ImVec2(0, ui.px(3)));
}

void findings(const CausesPanel& panel, const PanelModel& model, const PanelUi& ui, ImVec2 size,
              Commands& out) {
  const CausesAnswer& answer = *panel.answer();
  ImGui::BeginChild("##findings", size);
  ImGui::Dummy(ImVec2(0, 0));  // room for the highlight of the first block
  if (answer.findings.empty()) wrapped_text(ui, text(Text::kCausesNoFindings), true);
  bool nsys = false;
  for (std::size_t i = 0; i < answer.findings.size(); ++i) {
    if (!std::exchange(nsys, is_nsys_rule(answer.findings[i].finding)) && nsys)
      wrapped_text(ui, text(Text::kCausesNsysRules), true);
    finding_block(panel, model, ui, i, out);
  }
  ImGui::EndChild();
}

// ---- idle time and critical path --------------------------------------------------------------------------

void device_idle(const PanelUi& ui, const RankCauses& rank, std::size_t index) {
  const causes::DeviceExplanation& device = rank.explanation.devices[index];
  const causes::IdleReport& report = device.report;
  const Duration range = report.range.duration();
  std::string name = with_rank(rank.name, device.name);
  if (device.simulated) name += std::string(" (") + text(Text::kTimelineSimulated) + ")";
  bold_wrapped(ui, filled(Text::kCausesDevice, {name, format_percent(causes_ratio(report.busy, range)),
                                                format_percent(causes_ratio(report.idle.total(), range))}));
  std::vector<BarPart> bar;
  const double busy = causes_ratio(report.busy, range);
  bar.push_back({text(Text::kCausesBusy), time_and_share(report.busy, busy), busy,
                 ui.theme.of(trace::SliceKind::kExecute)});
  for (const CausePart<causes::IdleCause>& part : idle_parts(report.idle)) {
    const double share = causes_ratio(part.time, range);
    bar.push_back({idle_cause_name(part.kind), time_and_share(part.time, share), share,
                   idle_colour(ui.theme, part.kind), idle_cause_sentence(part.kind)});
  }
  draw_share_bar(ui, "causes:device:" + std::to_string(index), bar);
  ImGui::Dummy(ImVec2(0, ui.px(6)));
}

void devices(const PanelUi& ui, const CausesAnswer& answer) {
  for (const RankCauses& rank : answer.ranks) {
    for (std::size_t i = 0; i < rank.explanation.devices.size(); ++i) device_idle(ui, rank, i);
  }
}

void path_bar(const PanelUi& ui, const RankCauses& rank) {
  std::vector<BarPart> bar;
  for (const CausePart<causes::PathClass>& part : path_parts(rank.explanation.path)) {
    bar.push_back({path_class_name(part.kind), time_and_share(part.time, part.share), part.share,
                   path_colour(ui.theme, part.kind)});
  }
  if (bar.empty()) return;
  bold_wrapped(ui, with_rank(rank.name, text(Text::kCausesPathTitle)));
  draw_share_bar(ui, "causes:path", bar);
  ImGui::Dummy(ImVec2(0, ui.px(6)));
}

void path_and_notes(const PanelUi& ui, const CausesAnswer& answer) {
  for (const RankCauses& rank : answer.ranks) path_bar(ui, rank);
  for (const std::string& note : causes_notes(answer)) {
    wrapped_text(ui, note, true);
    ImGui::Dummy(ImVec2(0, ui.px(2)));
  }
}

// ---- the line above ---------------------------------------------------------------------------------------

// A checkbox that shows or hides marks on the timeline.
void marks_checkbox(const PanelUi& ui, CausesView& view, Text name, Text hint, const char* widget,
                    bool CausesView::*which) {
  bool on = view.marks && view.*which;
  if (ImGui::Checkbox(text(name), &on)) {
    // If all marks were off, only this one is switched on.
    if (on && !view.marks) view.idle = view.path = false;
    view.*which = on;
    view.marks = view.idle || view.path;
  }
  mark_widget(ui, widget);
  tooltip(ui, text(hint));
}

void header(CausesPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::AlignTextToFramePadding();
  bold_line(ui, text(Text::kPanelCauses));
  mark_widget(ui, "causes");
  ImGui::SameLine(0, ui.px(16));
  marks_checkbox(ui, panel.view, Text::kCausesShowIdle, Text::kCausesShowIdleHint, "causes:show_idle",
                 &CausesView::idle);
  ImGui::SameLine(0, ui.px(12));
  marks_checkbox(ui, panel.view, Text::kCausesShowPath, Text::kCausesShowPathHint, "causes:show_path",
                 &CausesView::path);
  ImGui::SameLine(0, ui.px(16));
  const CausesAnswer* const answer = panel.answer();
  const std::string summary =
      answer == nullptr ? text(Text::kCausesExplaining) : causes_summary(*answer, model.grows());
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, summary, ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(16), true);
  const MakeRows rows = [&] { return causes_rows(*answer); };
  list_end(ui, panel, "causes", Text::kCausesCloseHint, answer != nullptr ? rows : nullptr, out);
}

}  // namespace

void paint_panel(CausesPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  header(panel, model, ui, out);
  const CausesAnswer* const answer = panel.answer();
  if (answer == nullptr) return;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < ui.px(kRoomForTwoPx)) {
    ImGui::BeginChild("##all", room);
    findings(panel, model, ui, ImVec2(0, 0), out);
    devices(ui, *answer);
    path_and_notes(ui, *answer);
    ImGui::EndChild();
    return;
  }
  const bool three = room.x >= ui.px(kRoomForThreePx);
  const float gap = ui.px(16), left = std::floor(room.x * kFindingsShare);
  const float rest = room.x - left - gap;
  findings(panel, model, ui, ImVec2(left, room.y), out);
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##devices", ImVec2(three ? std::floor((rest - gap) / 2) : rest, room.y));
  devices(ui, *answer);
  if (!three) path_and_notes(ui, *answer);
  ImGui::EndChild();
  if (!three) return;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##path", ImVec2(0, room.y));
  path_and_notes(ui, *answer);
  ImGui::EndChild();
}

}  // namespace runahead::gui
