#include "gui/panels/class/class_panel.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "gui/lesson/class_code.h"
#include "gui/model/model.h"
#include "gui/session/lesson_figures.h"

namespace runahead::gui {

namespace {

LessonSheet class_sheet(const LessonFacts& facts) {
  if (!facts.shows_what_happened()) {
    LessonSheet sheet = sheet_of(*facts.lesson, {});
    for (SheetQuestion& question : sheet.questions) question.measured.reset();
    return sheet;
  }
  return sheet_of(*facts.lesson,
                  {.figures = facts.state.figures, .machine = {}, .device = facts.state.device});
}

}  // namespace

void ClassPanel::paste(std::string_view clipboard) {
  if (!codes.empty() && !codes.ends_with('\n')) codes += '\n';
  codes += clipboard;
}

const ClassResult* ClassPanel::result(const LessonFacts& facts) {
  if (facts.lesson == nullptr) return nullptr;
  Basis basis{.codes = codes,
              .lesson = facts.lesson->number,
              .language = language(),
              .figures = facts.shows_what_happened() ? facts.state.figures : samples::LessonFigures{},
              .device = facts.state.device};
  if (basis_ != basis) {
    result_ = class_result(class_sheet(facts), codes_in(codes));
    basis_ = std::move(basis);
  }
  return result_.codes > 0 || !result_.refused.empty() ? &result_ : nullptr;
}

void ClassPanel::add_words(std::vector<std::string_view>& words) const {
  words.push_back(codes);
  for (const std::string& line : result_.refused) words.push_back(line);
}

void ClassPanel::add_to_report(nlohmann::json& report, const PanelModel& model) const {
  nlohmann::json& part = report["class"] = nullptr;
  if (!shown() || model.lesson.lesson == nullptr) return;
  nlohmann::json questions = nlohmann::json::array();
  for (const QuestionResult& question : result_.questions) {
    nlohmann::json rows = nlohmann::json::array();
    for (const HistogramRow& row : question.rows)
      rows.push_back({{"label", row.label}, {"count", row.count}, {"measured", row.measured}});
    questions.push_back({{"question", question.question},
                         {"rows", rows},
                         {"measured", question.measured},
                         {"judged", question.judged},
                         {"good", question.good}});
  }
  part = {{"field", codes},
          {"codes", result_.codes},
          {"refused", result_.refused},
          {"lesson", basis_ ? basis_->lesson : 0},
          {"questions", questions}};
}

}  // namespace runahead::gui
