#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "gui/panels/whatif/paint_whatif_parts.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr std::array kOfferedBarriers{BarrierKind::kNone,  BarrierKind::kWaitToRead, BarrierKind::kWaitAll,
                                      BarrierKind::kItem,  BarrierKind::kAsnumpy,    BarrierKind::kPrint,
                                      BarrierKind::kWindow};
constexpr int kMostHandWindow = 16;
constexpr float kSliderPx = 90, kHandFigurePx = 40, kNamesPx = 460, kOpPx = 200, kOpArrowPx = 44;

// Places the next control on the line, or on a new one if the line has no room for it.
class ControlLine {
 public:
  explicit ControlLine(const PanelUi& ui) : ui_(ui), room_(ImGui::GetContentRegionAvail().x) {}
  void next(float width_px) {
    const float width = ui_.px(width_px), gap = ui_.px(8);
    if (used_ > 0 && used_ + gap + width <= room_) {
      ImGui::SameLine(0, gap);
      used_ += gap + width;
    } else {
      used_ = width;
    }
    ImGui::SetNextItemWidth(std::min(width, room_));
  }

 private:
  const PanelUi& ui_;
  float room_ = 0, used_ = 0;
};

std::string barrier_word(const std::optional<BarrierKind>& barrier) {
  if (!barrier) return filled(Text::kWhatIfBarrier, {text(Text::kWhatIfAsRun)});
  const std::string word = to_string(BarrierPolicy{*barrier, 1});
  return filled(Text::kWhatIfBarrier, {word.substr(0, word.find(':'))});
}

// A slider with its name at the left and its figure at the right, where the handle does not hide them. `draw`
// draws the slider itself.
template <typename Draw>
void named_slider(const char* name, const std::string& figure, const PanelUi& ui, ControlLine& line,
                  const Draw& draw) {
  const float gap = ui.px(6), names = ImGui::CalcTextSize(name).x, figures = ui.px(kHandFigurePx);
  line.next(kSliderPx + (names + figures + 2 * gap) / ui.scale);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  text_line(name);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(ui.px(kSliderPx));
  draw();
  ImGui::SameLine(0, gap);
  ImGui::AlignTextToFramePadding();
  text_line(figure);
  ImGui::SameLine(0, 0);
  ImGui::Dummy(ImVec2(std::max(figures - ImGui::CalcTextSize(figure.c_str()).x, 0.0f), 1));
  ImGui::EndGroup();
}

void factor_slider(const char* id, float& factor, Text name, Text hint, const PanelUi& ui,
                   ControlLine& line) {
  char figure[16];
  std::snprintf(figure, sizeof figure, "x%.2f", static_cast<double>(factor));
  named_slider(text(name), figure, ui, line, [&] {
    // steps of 0.05: a factor of 0.4999 is not meant
    if (ImGui::SliderFloat((std::string("##") + id).c_str(), &factor, 0, 2, "", ImGuiSliderFlags_AlwaysClamp))
      factor = std::round(factor * 20) / 20;
    mark_widget(ui, std::string("whatif:") + id);
    tooltip(ui, text(hint));
  });
}

void window_slider(int& window, const PanelUi& ui, ControlLine& line) {
  named_slider("window", std::to_string(window), ui, line, [&] {
    ImGui::SliderInt("##window", &window, 1, kMostHandWindow, "", ImGuiSliderFlags_AlwaysClamp);
    mark_widget(ui, "whatif:window");
  });
}

void barrier_choice(HandChange& hand, const PanelUi& ui, ControlLine& line) {
  line.next(170);
  if (ImGui::BeginCombo("##barrier", barrier_word(hand.barrier).c_str())) {
    if (ImGui::Selectable(barrier_word(std::nullopt).c_str(), !hand.barrier)) hand.barrier.reset();
    mark_widget(ui, "whatif:barrier:run");
    for (const BarrierKind kind : kOfferedBarriers) {
      const std::string word = barrier_word(kind);
      if (ImGui::Selectable(word.c_str(), hand.barrier == kind)) hand.barrier = kind;
      mark_widget(ui, "whatif:barrier:" + to_string(BarrierPolicy{kind, 1}));
    }
    ImGui::EndCombo();
  }
  mark_widget(ui, "whatif:barrier");
  if (hand.barrier != BarrierKind::kWindow) return;
  window_slider(hand.window, ui, line);
}

void op_choice(HandChange& hand, const WhatIfAnswer& answer, const PanelUi& ui, ControlLine& line) {
  if (answer.names.empty()) return;
  line.next(kOpPx);
  const char* const none = text(Text::kWhatIfNoOp);
  const std::string chosen =
      hand.op.empty() ? none : shortened(ImGui::GetFont(), hand.op, ui.px(kOpPx - kOpArrowPx));
  if (ImGui::BeginCombo("##op", chosen.c_str())) {
    if (ImGui::Selectable(none, hand.op.empty())) hand.op.clear();
    for (std::size_t i = 0; i < answer.names.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      const std::string name = shortened(ImGui::GetFont(), answer.names[i], ui.px(kNamesPx));
      if (ImGui::Selectable(name.c_str(), hand.op == answer.names[i])) hand.op = answer.names[i];
      mark_widget(ui, "whatif:op:" + std::to_string(i));
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  mark_widget(ui, "whatif:op");
  if (hand.op.empty()) return;
  factor_slider("op_factor", hand.op_factor, Text::kWhatIfOpFactor, Text::kWhatIfOpHint, ui, line);
}

void allocation_choice(HandChange& hand, const PanelUi& ui, ControlLine& line) {
  const std::array<std::pair<std::optional<bool>, Text>, 3> choices{{{std::nullopt, Text::kWhatIfAllocAsRun},
                                                                     {false, Text::kWhatIfAllocEnqueue},
                                                                     {true, Text::kWhatIfAllocExecute}}};
  const auto chosen =
      std::ranges::find(choices, hand.at_execution, &std::pair<std::optional<bool>, Text>::first);
  line.next(190);
  if (ImGui::BeginCombo("##alloc", text(chosen->second))) {
    for (const auto& [value, name] : choices) {
      if (ImGui::Selectable(text(name), hand.at_execution == value)) hand.at_execution = value;
    }
    ImGui::EndCombo();
  }
  mark_widget(ui, "whatif:alloc");
}

std::string hand_words(const WhatIfPanel& panel) {
  if (changes_of(panel.view.hand).empty()) return text(Text::kWhatIfHandHint);
  const PredictionAnswer* const answer = panel.by_hand();
  if (answer == nullptr) return text(Text::kWhatIfPredicting);
  if (!answer->problem.empty()) return answer->problem;
  const predict::Candidate& figures = answer->figures;
  std::string words = rate_words(figures) + " \u00b7 " + gain_words(figures.gain);
  if (!panel.answer()->replay().run().program.memories.empty())
    words += " \u00b7 " + whatif_memory(figures, true);
  return words;
}

// The prediction for the change made by hand, and the buttons that show its timeline and undo it.
void hand_line(WhatIfPanel& panel, const PanelUi& ui) {
  const bool any = !changes_of(panel.view.hand).empty();
  const bool live = panel.view.source.grows;
  const ButtonLook open{.label = text(Text::kWhatIfOpenTimeline),
                        .enabled = any && !live,
                        .hint = text(live ? Text::kWhatIfStopFirst : Text::kWhatIfOpenTimelineHint)};
  const ButtonLook undo{.label = text(Text::kWhatIfUndo), .enabled = any};
  const float buttons = tool_button_width(ui, open) + tool_button_width(ui, undo) + ui.px(16);
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, hand_words(panel), ImGui::GetContentRegionAvail().x - buttons - ui.px(8), !any);
  ImGui::SameLine(std::max(ImGui::GetWindowContentRegionMax().x - buttons, ImGui::GetCursorPosX()));
  if (tool_button(ui, "whatif:open", open) && open.enabled)
    panel.view.timeline_wanted = changes_of(panel.view.hand);
  ImGui::SameLine(0, ui.px(8));
  if (tool_button(ui, "whatif:undo", undo)) panel.view.hand = HandChange{};
}

}  // namespace

void paint_hand(WhatIfPanel& panel, const PanelUi& ui) {
  const WhatIfAnswer& answer = *panel.answer();
  HandChange& hand = panel.view.hand;
  ControlLine line(ui);
  barrier_choice(hand, ui, line);
  factor_slider("frontend", hand.frontend, Text::kWhatIfFrontend, Text::kWhatIfFrontendHint, ui, line);
  op_choice(hand, answer, ui, line);
  if (!answer.replay().run().program.settings.of_graph) allocation_choice(hand, ui, line);
  hand_line(panel, ui);
}

}  // namespace runahead::gui
