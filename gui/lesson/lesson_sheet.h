// All that a page shows of a lesson: its question, its predictions with what was measured, and its
// explanation. A page contains it as text (sheet_text()). All sentences are in English; who shows them
// translates them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/lessons/prediction.h"

namespace runahead::gui {

struct SheetQuestion {
  samples::Prediction asked;       // without its formula
  std::optional<double> measured;  // what happened
  std::optional<double> machine;   // what the simulation predicted from another part of the lesson
};

struct SheetFigure {
  std::string name;
  samples::ResultUnit unit = samples::ResultUnit::kSeconds;
  std::optional<double> value;
};

struct LessonSheet {
  int number = 0;
  std::string title, question, look_for;
  std::string device;   // on which the figures were measured
  bool settled = true;  // false: no verdict, because a rate was not steady
  std::vector<SheetQuestion> questions;
  std::vector<SheetFigure> figures;  // that the explanation names as {name}
  std::vector<std::string> explanation;
};

// The predictions of the sheet, in order.
[[nodiscard]] std::vector<samples::Prediction> predictions_of(const LessonSheet& sheet);
// The paragraph, in the language of the window, with each {name} replaced by its figure; "-": not known.
[[nodiscard]] std::string explained(const LessonSheet& sheet, std::string_view paragraph);

// The sheet as text that parse_sheet() reads. nullopt: the text is no such text.
[[nodiscard]] std::string sheet_text(const LessonSheet& sheet);
[[nodiscard]] std::optional<LessonSheet> parse_sheet(std::string_view text);

}  // namespace runahead::gui
