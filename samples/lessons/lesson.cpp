#include "samples/lessons/lesson.h"

#include <algorithm>
#include <set>

#include "instrumentation/base/check.h"
#include "samples/formula.h"
#include "samples/report_figures.h"

namespace runahead::samples {

namespace {

// Returns the names of the part's figures that the lesson's formulas use.
std::set<std::string> names_needed(const Lesson& lesson, const LessonPart& part) {
  std::set<std::string> names;
  const std::string prefix = part.id + ".";
  const auto note = [&](std::string_view name) -> std::optional<double> {
    if (name.starts_with(prefix)) names.emplace(name.substr(prefix.size()));
    return 1.0;
  };
  for (const Prediction& prediction : lesson.predictions) (void)evaluate(prediction.formula, note);
  for (const LessonFigure& figure : lesson.figures) (void)evaluate(figure.formula, note);
  return names;
}

std::optional<double> value_of(std::string_view formula, const LessonFigures& figures) {
  return evaluate(formula, [&](std::string_view name) -> std::optional<double> {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto part = figures.find(std::string(name.substr(0, dot)));
    if (part == figures.end()) return std::nullopt;
    const auto figure = part->second.find(std::string(name.substr(dot + 1)));
    return figure != part->second.end() ? std::optional(figure->second) : std::nullopt;
  });
}

// True: every parameter of the report has the value that the part sets, or its default if the part sets no
// value.
bool same_parameters(const Lesson& lesson, const LessonPart& part, const RunReport& report) {
  const WorkloadSpec* const spec = find_workload(lesson.workload);
  if (spec == nullptr) return false;
  return std::ranges::all_of(spec->parameters, [&](const ParameterSpec& parameter) {
    const auto set = part.settings.find(parameter.name);
    const double wanted = set != part.settings.end() ? std::stod(set->second) : parameter.class_value;
    const auto had = report.params.find(parameter.name);
    return had != report.params.end() && had->second == wanted;
  });
}

}  // namespace

const Lesson* find_lesson(std::string_view workload) {
  const auto& all = list_lessons();
  const auto found = std::ranges::find(all, workload, &Lesson::workload);
  return found != all.end() ? &*found : nullptr;
}

const Lesson* find_lesson(int number) {
  const auto& all = list_lessons();
  const auto found = std::ranges::find(all, number, &Lesson::number);
  return found != all.end() ? &*found : nullptr;
}

const LessonPart* find_part(const Lesson& lesson, std::string_view id) {
  const auto found = std::ranges::find(lesson.parts, id, &LessonPart::id);
  return found != lesson.parts.end() ? &*found : nullptr;
}

RunConfig config_of(const Lesson& lesson, const LessonPart& part) {
  const Result<BarrierPolicy> barrier = parse_barrier(part.barrier);
  RUNAHEAD_CHECK(barrier.ok());
  return {
      .workload = lesson.workload, .barrier = *barrier, .settings = part.settings, .endless = lesson.toggled};
}

const LessonPart* part_of(const Lesson& lesson, const RunReport& report) {
  if (lesson.toggled || report.workload != lesson.workload) return nullptr;
  const auto steps = report.params.find("steps");
  if (steps == report.params.end() || static_cast<double>(report.steps) < steps->second) return nullptr;
  const auto fits = [&](const LessonPart& part) {
    return part.barrier == report.barrier && same_parameters(lesson, part, report);
  };
  const auto found = std::ranges::find_if(lesson.parts, fits);
  return found != lesson.parts.end() ? &*found : nullptr;
}

Figures figures_of(const Lesson& lesson, const LessonPart& part, const RunReport& report) {
  Figures figures;
  for (const std::string& name : names_needed(lesson, part)) {
    if (const std::optional<double> value = figure_of(report, name)) figures[name] = *value;
  }
  return figures;
}

bool complete(const Lesson& lesson, const LessonFigures& figures) {
  return std::ranges::all_of(lesson.parts, [&](const LessonPart& part) {
    const auto found = figures.find(part.id);
    if (found == figures.end()) return false;
    const std::set<std::string> needed = names_needed(lesson, part);
    return std::ranges::all_of(needed, [&](const std::string& name) { return found->second.contains(name); });
  });
}

bool unsettled(const LessonFigures& figures) {
  return std::ranges::any_of(figures, [](const auto& part) { return part.second.contains(kUnsettled); });
}

std::optional<double> measured_value(const Prediction& prediction, const LessonFigures& figures) {
  return value_of(prediction.formula, figures);
}

std::optional<double> predicted_value(const Prediction& prediction, const LessonFigures& measured,
                                      const LessonFigures& predicted) {
  LessonFigures others = measured, all = measured;
  for (const auto& [part, values] : predicted) {
    others.erase(part);
    for (const auto& [name, value] : values) all[part][name] = value;
  }
  if (value_of(prediction.formula, others)) return std::nullopt;  // the machine predicted nothing of it
  return value_of(prediction.formula, all);
}

Outcome judge(const Prediction& prediction, std::optional<double> predicted, const LessonFigures& figures) {
  return judge_value(prediction, predicted, measured_value(prediction, figures), !unsettled(figures));
}

std::string explain(const Lesson& lesson, std::string_view paragraph, const LessonFigures& figures) {
  return filled_with_figures(paragraph, [&](std::string_view name) {
    const auto figure = std::ranges::find(lesson.figures, name, &LessonFigure::name);
    RUNAHEAD_CHECK(figure != lesson.figures.end());
    const std::optional<double> value = value_of(figure->formula, figures);
    return value ? lesson_text(*value, figure->unit) : "-";
  });
}

}  // namespace runahead::samples
