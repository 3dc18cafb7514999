// The panel Class: the teacher pastes the codes of a class, and sees for each question of the lesson a
// histogram of what the class predicted. From the lesson's fourth step on, what happened is beside it.
#pragma once

#include <optional>
#include <string>

#include "gui/lesson/class_result.h"
#include "gui/model/lesson_state.h"
#include "gui/model/panel.h"
#include "gui/text/language.h"

namespace runahead::gui {

class ClassPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{.id = kClassPanel,
                                     .title = Text::kClass,
                                     .key = "J",
                                     .place = PanelPlace::kFloating,
                                     .remembered = false,
                                     .key_only_opens = true,
                                     .escape_closes = true};
    return kInfo;
  }
  void take_keyboard() override { fresh = true; }
  void add_words(std::vector<std::string_view>& words) const override;
  // Adds "class": the counts, or null while the panel is hidden or there is no lesson.
  void add_to_report(nlohmann::json& report, const PanelModel& model) const override;

  // The codes as they were typed or pasted, with any separators.
  std::string codes;
  bool fresh = false;  // the field takes the keyboard focus

  // Appends the text of the clipboard on a new line.
  void paste(std::string_view clipboard);
  // What the class predicted; computed again after a change of the codes, of the lesson or of the language.
  // nullptr: there is no lesson, or no code yet. Valid until the next call.
  [[nodiscard]] const ClassResult* result(const LessonFacts& facts);

 private:
  // What a result depends on.
  struct Basis {
    std::string codes;
    int lesson = 0;
    Language language{};
    samples::LessonFigures figures;  // empty: what happened is not shown yet
    std::string device;
    bool operator==(const Basis&) const = default;
  };
  std::optional<Basis> basis_;
  ClassResult result_;
};
void paint_panel(ClassPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
