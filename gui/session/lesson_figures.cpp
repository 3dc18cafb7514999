#include "gui/session/lesson_figures.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "gui/session/session_facts.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/base/exact_number.h"

namespace runahead::gui {

using samples::Lesson;
using samples::LessonPart;
using samples::Prediction;

namespace {

constexpr std::string_view kDevice = "lesson.device", kFigure = "lesson.figure.",
                           kMachine = "lesson.machine.";

// Returns the figures of the parts whose keys begin with `kind`.
samples::LessonFigures read_figures(const Lesson& lesson, const LessonNotes& facts, std::string_view kind) {
  samples::LessonFigures figures;
  for (const LessonPart& part : lesson.parts) {
    const std::string prefix = std::string(kind) + part.id + ".";
    for (auto fact = facts.lower_bound(prefix); fact != facts.end() && fact->first.starts_with(prefix);
         ++fact) {
      if (const std::optional<double> value = number_from(fact->second))
        figures[part.id][fact->first.substr(prefix.size())] = *value;
    }
  }
  return figures;
}

void write_figures(const samples::LessonFigures& all, std::string_view kind, LessonNotes& facts) {
  for (const auto& [part, figures] : all) {
    for (const auto& [name, value] : figures)
      facts[std::string(kind) + part + "." + name] = exact_text(value);
  }
}

std::string fact_in(const LessonNotes& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found != facts.end() ? found->second : std::string();
}

// The names of the parts that were not measured: "free, held".
std::string missing_parts(const Lesson& lesson, const samples::LessonFigures& figures) {
  std::string missing;
  for (const LessonPart& part : lesson.parts) {
    if (!figures.contains(part.id)) missing += (missing.empty() ? "" : ", ") + part.label;
  }
  return missing;
}

}  // namespace

LessonNotes measured_facts(const MeasuredLesson& measured) {
  LessonNotes facts;
  if (!measured.device.empty()) facts[std::string(kDevice)] = measured.device;
  write_figures(measured.figures, kFigure, facts);
  write_figures(measured.machine, kMachine, facts);
  return facts;
}

MeasuredLesson measured_lesson(const Lesson& lesson, const LessonNotes& facts) {
  MeasuredLesson measured{.figures = read_figures(lesson, facts, kFigure),
                          .machine = read_figures(lesson, facts, kMachine),
                          .device = fact_in(facts, std::string(kDevice))};
  if (const std::optional<samples::RunReport> report = report_of(facts)) {
    if (const LessonPart* part = samples::part_of(lesson, *report))
      measured.figures[part->id] = samples::figures_of(lesson, *part, *report);
  }
  return measured;
}

Result<MeasuredLesson> measured_in(const Lesson& lesson, const trace::Trace& trace) {
  const LessonNotes& facts = trace.metadata();
  const std::string number = std::to_string(lesson.number), workload = fact_in(facts, "workload");
  if (workload != lesson.workload) {
    return Error{"it is " + (workload.empty() ? "of no workload" : "a run of " + workload) + ", and lesson " +
                 number + " is about " + lesson.workload};
  }
  MeasuredLesson measured = measured_lesson(lesson, facts);
  if (lesson.toggled) {
    for (auto& [part, figures] : toggled_figures(lesson, trace))
      measured.figures.insert_or_assign(part, figures);
  }
  if (measured.device.empty()) measured.device = fact_in(facts, "device");
  if (samples::complete(lesson, measured.figures)) return measured;
  const std::string missing = missing_parts(lesson, measured.figures);
  return Error{"it does not have what lesson " + number + " measures" +
               (missing.empty() ? "" : ": \"" + missing + "\" is missing")};
}

LessonSheet sheet_of(const Lesson& lesson, const MeasuredLesson& measured) {
  const samples::WorkloadSpec* const spec = samples::find_workload(lesson.workload);
  LessonSheet sheet{.number = lesson.number,
                    .device = measured.device,
                    .settled = !samples::unsettled(measured.figures),
                    .explanation = lesson.explanation};
  if (spec != nullptr) {
    sheet.title = spec->title;
    sheet.question = spec->question;
    sheet.look_for = spec->look_for;
  }
  for (const Prediction& asked : lesson.predictions) {
    SheetQuestion question{.asked = asked,
                           .measured = samples::measured_value(asked, measured.figures),
                           .machine = samples::predicted_value(asked, measured.figures, measured.machine)};
    question.asked.formula.clear();
    sheet.questions.push_back(std::move(question));
  }
  for (const samples::LessonFigure& figure : lesson.figures) {
    const Prediction as_asked{.question = {}, .formula = figure.formula};
    sheet.figures.push_back({figure.name, figure.unit, samples::measured_value(as_asked, measured.figures)});
  }
  return sheet;
}

bool covers_enough(const analysis::SegmentFigures& figures) {
  return analysis::active_time(figures) >= std::chrono::seconds(2) && figures.steps >= 20;
}

samples::LessonFigures toggled_figures(const Lesson& lesson, const trace::Trace& trace) {
  samples::LessonFigures figures;
  for (const analysis::BarrierSegment& segment : analysis::barrier_segments(trace)) {
    const LessonPart* const part = part_under(lesson, segment.barrier);
    if (part == nullptr || !covers_enough(segment.figures)) continue;
    samples::Figures of_part = toggle_figures(segment.figures);
    if (!segment.settled()) of_part[samples::kUnsettled] = 1;
    figures.insert_or_assign(part->id, std::move(of_part));
  }
  return figures;
}

samples::Figures toggle_figures(const analysis::SegmentFigures& segment) {
  return {{"steps_per_s", segment.steps_per_s},
          {"blocked_ratio", segment.blocked_ratio},
          {"peak_bytes", segment.peak_bytes},
          {"max_run_ahead_steps", segment.max_run_ahead_steps},
          {"max_run_ahead_ops", segment.max_run_ahead_ops},
          {"max_run_ahead_bytes", segment.max_run_ahead_bytes}};
}

const LessonPart* part_under(const Lesson& lesson, std::string_view barrier) {
  const auto found = std::ranges::find(lesson.parts, barrier, &LessonPart::barrier);
  return found != lesson.parts.end() ? &*found : nullptr;
}

}  // namespace runahead::gui
