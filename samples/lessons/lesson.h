// Lessons: one for each experiment. A question, a prediction that is written down before anything runs, the
// runs that answer it, what was predicted beside what happened, and why. Data; a window leads a person
// through it.
//
// Figures in formulas are "PART.FIGURE": of a part that runs to its end any figure of its report, of one that
// is toggled those of the stretch under its barrier (toggle_figures()).
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/result_table.h"
#include "samples/runner.h"

namespace runahead::samples {

struct LessonPart {
  std::string id;     // "with"
  std::string label;  // what is run: "with a wait after each"
  std::string barrier = "none";
  std::map<std::string, std::string> settings{};  // over the defaults of the class size
};

struct Choice {
  std::string words;
  // It is right where from <= what was measured < below.
  double from = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
};

struct Prediction {
  std::string question;
  std::string formula;  // what happened, over the parts' figures
  ResultUnit unit = ResultUnit::kRatio;
  std::vector<Choice> choices{};  // empty: a number in `unit` is asked for
  double close = 1.5;  // a number that is off by no more than this factor (a share: by 0.1) is close
};

// A figure that the explanation speaks of as {name}.
struct LessonFigure {
  std::string name, formula;
  ResultUnit unit = ResultUnit::kSeconds;
};

struct Lesson {
  int number = 0;  // from 1
  std::string workload;
  // The first part runs without end, and the others are toggled in it.
  bool toggled = false;
  std::vector<LessonPart> parts;
  std::vector<Prediction> predictions;
  std::vector<LessonFigure> figures;
  std::vector<std::string> explanation;  // paragraphs
  std::vector<int> exercises{};          // that follow it
};

[[nodiscard]] const std::vector<Lesson>& list_lessons();
// nullptr: there is none.
[[nodiscard]] const Lesson* find_lesson(std::string_view workload);
[[nodiscard]] const Lesson* find_lesson(int number);
[[nodiscard]] const LessonPart* find_part(const Lesson& lesson, std::string_view id);
// A run of that part; of a toggled lesson's first one, without end.
[[nodiscard]] RunConfig config_of(const Lesson& lesson, const LessonPart& part);

// ---- what was measured -----------------------------------------------------------------------------------
using Figures = std::map<std::string, double>;
using LessonFigures = std::map<std::string, Figures>;  // by part

// The part that a report is of: a run of the lesson's workload, on whatever devices, under the part's barrier
// and settings, all of its steps; nullptr: of none, or the lesson is toggled.
[[nodiscard]] const LessonPart* part_of(const Lesson& lesson, const RunReport& report);
// What the lesson's formulas need of that part.
[[nodiscard]] Figures figures_of(const Lesson& lesson, const LessonPart& part, const RunReport& report);
// All parts have what the formulas need.
[[nodiscard]] bool complete(const Lesson& lesson, const LessonFigures& figures);

enum class Verdict { kNotMeasured, kNotPredicted, kRight, kClose, kTooLow, kTooHigh, kOther };
struct Outcome {
  Verdict verdict = Verdict::kNotMeasured;
  std::optional<double> measured;
  std::optional<std::size_t> right;  // the choice that held
  std::optional<double> factor;      // measured / predicted, of numbers above 0 that are no shares
};
// `predicted`: the number in the unit's own terms (a share 0..1, bytes, seconds), or the choice's index.
[[nodiscard]] Outcome judge(const Prediction& prediction, std::optional<double> predicted,
                            const LessonFigures& figures);

// A figure as a lesson tells it: as a result, but a number that is no whole one with three digits.
[[nodiscard]] std::string lesson_text(double value, ResultUnit unit);

// A paragraph with its {name}s filled in, of the lesson's figures; "-" where one is not known.
[[nodiscard]] std::string explain(const Lesson& lesson, std::string_view paragraph,
                                  const LessonFigures& figures);

}  // namespace runahead::samples
