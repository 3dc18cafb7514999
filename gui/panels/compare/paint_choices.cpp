#include <algorithm>
#include <string>

#include "gui/panels/compare/paint_compare.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

std::string range_words(const std::optional<TimeRange>& range, Text without) {
  if (!range) return text(without);
  const Duration step = std::max(range->duration() / 100, Duration{1});
  return format_axis_time(range->begin, step) + " .. " + format_axis_time(range->end, step);
}

void mode_button(const PanelModel& model, const PanelUi& ui, CompareMode mode, const char* id, Text label,
                 Text hint, Commands& out) {
  const bool chosen = model.compare.choice.mode == mode;
  const ButtonLook look{.label = text(label), .strong = chosen, .accent = ui.theme.range, .hint = text(hint)};
  if (tool_button(ui, id, look) && !chosen) {
    CompareChoice choice = model.compare.choice;
    choice.mode = mode;
    choice.b.reset();  // drops the range of B, which belongs to the previous mode
    out.push_back(Compare{choice});
  }
  ImGui::SameLine();
}

// Draws the list of barrier changes to choose from.
void change_choice(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const CompareAnswer* const answer = model.compare.answer;
  if (answer == nullptr || !answer->change) return;
  const auto label = [&](std::size_t i) {
    const analysis::BarrierChange& change = answer->changes[i].change;
    return translated(change.label) + "  " + text(Text::kCompareAtTime) + " " +
           format_axis_time(change.at, std::chrono::milliseconds(1));
  };
  ImGui::SetNextItemWidth(std::min(ui.px(280), ImGui::GetContentRegionAvail().x * 0.4f));
  const bool open = ImGui::BeginCombo("##change", label(*answer->change).c_str());
  mark_widget(ui, "compare:change");
  if (open) {
    for (std::size_t i = 0; i < answer->changes.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(label(i).c_str(), i == *answer->change)) {
        CompareChoice choice = model.compare.choice;
        choice.change = i;
        out.push_back(Compare{choice});
      }
      mark_widget(ui, "compare:change:" + std::to_string(i));
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
}

// Draws a button such as "A: 1.20 .. 1.40 s". A click sets side A or B to the range that is measured on the
// timeline of this side.
void range_button(const PanelModel& model, const PanelUi& ui, CompareSide side, Commands& out) {
  const CompareChoice& now = model.compare.choice;
  const bool a = side == CompareSide::kA;
  const Text without = now.mode == CompareMode::kRecording ? Text::kCompareAll : Text::kCompareNotSet;
  const std::string label = std::string(a ? "A: " : "B: ") + range_words(a ? now.a : now.b, without);
  const ButtonLook look{.label = label, .hint = text(Text::kCompareSetHint)};
  if (tool_button(ui, a ? "compare:set_a" : "compare:set_b", look)) {
    CompareChoice choice = now;
    std::optional<TimeRange> marked = model.timeline.range;
    const bool below = model.compare.b_trace != nullptr && model.compare.b_timeline->range.has_value();
    if (!a && below) marked = model.compare.b_timeline->range;
    if (!a && !below && now.mode == CompareMode::kRecording) marked.reset();
    (a ? choice.a : choice.b) = marked;
    out.push_back(Compare{choice});
  }
  ImGui::SameLine();
}

void mode_choices(const PanelModel& model, const PanelUi& ui, Commands& out) {
  mode_button(model, ui, CompareMode::kChange, "compare:mode:change", Text::kCompareChange,
              Text::kCompareChangeHint, out);
  mode_button(model, ui, CompareMode::kRanges, "compare:mode:ranges", Text::kCompareRanges,
              Text::kCompareRangesHint, out);
  mode_button(model, ui, CompareMode::kRecording, "compare:mode:recording", Text::kCompareRecording,
              Text::kCompareRecordingHint, out);
  ImGui::Dummy(ImVec2(ui.px(4), 1));
  ImGui::SameLine();
  const CompareMode mode = model.compare.choice.mode;
  if (mode == CompareMode::kChange) return change_choice(model, ui, out);
  if (mode == CompareMode::kRecording) {
    const bool none = model.compare.b_name.empty();
    const std::string label = none ? text(Text::kCompareOpenDots) : model.compare.b_name;
    const ButtonLook look{.icon = Icon::kOpen,
                          .label = label,
                          .strong = none,
                          .accent = ui.theme.good,
                          .hint = text(Text::kCompareNoRecording)};
    if (tool_button(ui, "compare:open", look)) out.push_back(AskForFile{FilePurpose::kCompare});
    ImGui::SameLine();
    if (none) return;
  }
  range_button(model, ui, CompareSide::kA, out);
  range_button(model, ui, CompareSide::kB, out);
}

void close_button(const PanelUi& ui, Commands& out) {
  const ButtonLook close{.icon = Icon::kClose, .hint = text(Text::kCompareCloseHint)};
  const float right = ImGui::GetWindowContentRegionMax().x - tool_button_width(ui, close);
  ImGui::SameLine(std::max(right, ImGui::GetCursorPosX()));
  if (tool_button(ui, "compare:close", close)) out.push_back(TogglePanel{kComparePanel});
}

}  // namespace

void compare_choices(const PanelModel& model, const PanelUi& ui, Commands& out) {
  mode_choices(model, ui, out);
  close_button(ui, out);
}

}  // namespace runahead::gui
