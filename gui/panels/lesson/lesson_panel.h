// The left panel: what to try with the chosen workload, the workload's lesson, and its parameters. In a
// presentation, the current step of the lesson is a low band across the full width instead, so that the
// timeline below stays visible.
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
  // Adds null if the chosen workload has no lesson.
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The page of the band that is shown, if the content does not fit on one page.
  struct Band {
    const samples::Lesson* lesson = nullptr;
    LessonStage stage{};
    std::size_t page = 0;  // index of a prediction, or of a paragraph of the explanation
  } band;
};
void paint_panel(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
// REQUIRES: model.lesson.lesson is not null.
void paint_band(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
