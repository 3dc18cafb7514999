// The left panel: what to try with the chosen workload, its lesson, and its parameters. In a presentation the
// lesson's step is a low band over the whole width instead, so that what it is about stays in sight below it.
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
  // null where the chosen workload has no lesson.
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // Of what does not fit the band at once, which part is shown.
  struct Band {
    const samples::Lesson* lesson = nullptr;
    LessonStage stage{};
    std::size_t page = 0;  // a prediction, or a paragraph of the explanation
  } band;
};
void paint_panel(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
// REQUIRES: model.lesson.lesson is there.
void paint_band(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
