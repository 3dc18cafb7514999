// Lessons, one for each experiment. A lesson has a question, a prediction that the user writes down before
// anything runs, the runs that answer the question, a comparison of prediction and measurement, and an
// explanation. Plain data; the window guides the user through it.
//
// Figures in formulas are named "PART.FIGURE". If a part is a run of its own, its figures come from the
// report of the run. If the lesson is toggled (the user switches the barrier during one run), the figures of
// a part come from the time in which its barrier was in effect (toggle_figures()).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/lessons/prediction.h"
#include "samples/result_unit.h"
#include "samples/runner.h"

namespace runahead::samples {

struct LessonPart {
  std::string id;     // "with"
  std::string label;  // what the part runs: "with a wait after each"
  std::string barrier = "none";
  std::map<std::string, std::string> settings{};  // override the defaults of size "class"
};

// A figure that the explanation refers to as {name}.
struct LessonFigure {
  std::string name, formula;
  ResultUnit unit = ResultUnit::kSeconds;
};

struct Lesson {
  int number = 0;  // numbered from 1
  std::string workload;
  // True: the first part runs without end. During this run the user switches to the barriers of the other
  // parts.
  bool toggled = false;
  std::vector<LessonPart> parts;
  std::vector<Prediction> predictions;
  std::vector<LessonFigure> figures;
  std::vector<std::string> explanation;  // paragraphs
  std::vector<int> exercises{};          // exercises that follow the lesson
};

[[nodiscard]] const std::vector<Lesson>& list_lessons();
// nullptr: no such lesson.
[[nodiscard]] const Lesson* find_lesson(std::string_view workload);
[[nodiscard]] const Lesson* find_lesson(int number);
[[nodiscard]] const LessonPart* find_part(const Lesson& lesson, std::string_view id);
// The configuration of a run of `part`. For a toggled lesson this is a run without end.
[[nodiscard]] RunConfig config_of(const Lesson& lesson, const LessonPart& part);

// ---- measured figures ------------------------------------------------------------------------------------
using Figures = std::map<std::string, double>;
using LessonFigures = std::map<std::string, Figures>;  // key: id of the part

// The part that a report belongs to: a run of the lesson's workload, on any device, with the part's barrier
// and settings and all of its steps. nullptr: no part matches, or the lesson is toggled.
[[nodiscard]] const LessonPart* part_of(const Lesson& lesson, const RunReport& report);
// Returns the figures of the part that the lesson's formulas need.
[[nodiscard]] Figures figures_of(const Lesson& lesson, const LessonPart& part, const RunReport& report);
// True: all parts have the figures that the formulas need.
[[nodiscard]] bool complete(const Lesson& lesson, const LessonFigures& figures);

// Name of a figure. A part has this figure if no steady rate was found in the part's time yet. Then the
// part's other figures are not final.
inline constexpr const char* kUnsettled = "unsettled";
// True: at least one part has the figure kUnsettled.
[[nodiscard]] bool unsettled(const LessonFigures& figures);

// Judges the prediction by the value that its formula has with these figures (prediction.h).
[[nodiscard]] Outcome judge(const Prediction& prediction, std::optional<double> predicted,
                            const LessonFigures& figures);
// The value of the prediction's formula; nullopt: a figure is not known.
[[nodiscard]] std::optional<double> measured_value(const Prediction& prediction,
                                                   const LessonFigures& figures);

// The value of the prediction's formula with figures that were predicted for some parts, in place of the
// measured ones. nullopt: the formula needs none of these parts, or a figure is not known.
[[nodiscard]] std::optional<double> predicted_value(const Prediction& prediction,
                                                    const LessonFigures& measured,
                                                    const LessonFigures& predicted);

// The paragraph with each {name} replaced by the lesson's figure. "-" if the figure is not known.
[[nodiscard]] std::string explain(const Lesson& lesson, std::string_view paragraph,
                                  const LessonFigures& figures);

}  // namespace runahead::samples
