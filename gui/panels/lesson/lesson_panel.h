// The left panel: what to try with the chosen workload, the workload's lesson, and its parameters. In a
// presentation, only the current step of the lesson is shown, in a low band across the full width, so that
// the timeline below stays visible.
#pragma once

#include <cstddef>

#include "gui/model/lesson_state.h"
#include "gui/model/panel.h"

namespace runahead::gui {

class LessonPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = kLessonPanel, .title = Text::kPanelLesson, .place = PanelPlace::kLeft, .shown_at_first = true};
    return kInfo;
  }
  // The band gets its new height in the frame after its content has changed.
  [[nodiscard]] std::optional<std::chrono::milliseconds> more_after() const override {
    return band.resized ? std::optional(std::chrono::milliseconds(0)) : std::nullopt;
  }
  // Adds the state of the lesson to the report; adds null if the chosen workload has no lesson.
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // In a presentation, the lesson is a low band that shows one page at a time. If a step has several
  // predictions, or several paragraphs of explanation, each prediction or paragraph has a separate page.
  struct Band {
    const samples::Lesson* lesson = nullptr;
    LessonStage stage{};
    std::size_t page = 0;  // index of a prediction, or of a paragraph of the explanation
    float content_px = 0;  // height of the content in the last frame; 0: not drawn yet
    bool resized = false;  // content_px has changed: the next frame has another height
  } band;
};
void paint_panel(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
// REQUIRES: model.lesson.lesson is not null.
void paint_band(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
