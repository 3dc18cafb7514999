#include "gui/core/lesson_book.h"

#include <algorithm>
#include <charconv>

#include "gui/session/session_facts.h"
#include "instrumentation/base/exact_number.h"

namespace runahead::gui {

using samples::Lesson;
using samples::LessonPart;

LessonState& LessonBook::state(const Lesson& lesson) {
  LessonState& state = states_[lesson.number];
  state.predictions.resize(lesson.predictions.size());
  return state;
}

const LessonState& LessonBook::of(const Lesson& lesson) { return state(lesson); }

void LessonBook::turn_to(const Lesson& lesson, LessonStage stage) { state(lesson).stage = stage; }

void LessonBook::predict(const Lesson& lesson, std::size_t index, std::optional<double> value) {
  LessonState& now = state(lesson);
  if (now.written_down || index >= now.predictions.size()) return;
  now.predictions[index] = value;
}

void LessonBook::write_down(const Lesson& lesson) {
  LessonState& now = state(lesson);
  now.written_down = true;
  now.stage = LessonStage::kRun;
}

void LessonBook::add(const Lesson& lesson, const LessonPart& part, const samples::Figures& figures,
                     const std::string& device) {
  LessonState& now = state(lesson);
  if (!now.device.empty() && now.device != device) {
    now.figures.clear();
    now.machine.clear();
  }
  now.device = device;
  const auto known = now.figures.find(part.id);
  const bool settled = known != now.figures.end() && !known->second.contains(samples::kUnsettled);
  if (settled && figures.contains(samples::kUnsettled)) return;
  now.figures[part.id] = figures;
}

void LessonBook::add_machine(const Lesson& lesson, const LessonPart& part, const samples::Figures& figures) {
  LessonState& now = state(lesson);
  if (!now.figures.contains(part.id)) now.machine[part.id] = figures;
}

void LessonBook::begin_again(const Lesson& lesson) { states_.erase(lesson.number); }

namespace {

constexpr std::string_view kLesson = "lesson", kDevice = "lesson.device", kPrediction = "lesson.prediction.",
                           kFigure = "lesson.figure.", kMachine = "lesson.machine.";

std::string fact_or_nothing(const LessonNotes& facts, std::string_view key) {
  const auto found = facts.find(std::string(key));
  return found != facts.end() ? found->second : std::string();
}

void read_predictions(const Lesson& lesson, const LessonNotes& facts, LessonState& state) {
  state.predictions.resize(lesson.predictions.size());
  for (std::size_t i = 0; i < lesson.predictions.size(); ++i)
    state.predictions[i] = number_from(fact_or_nothing(facts, std::string(kPrediction) + std::to_string(i)));
  state.written_down = std::ranges::any_of(state.predictions, [](const auto& p) { return p.has_value(); });
}

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

}  // namespace

LessonNotes lesson_facts(const Lesson& lesson, const LessonState& state) {
  if (!state.written_down && state.figures.empty()) return {};
  LessonNotes facts{{std::string(kLesson), std::to_string(lesson.number)}};
  if (!state.device.empty()) facts[std::string(kDevice)] = state.device;
  for (std::size_t i = 0; state.written_down && i < state.predictions.size(); ++i) {
    if (state.predictions[i])
      facts[std::string(kPrediction) + std::to_string(i)] = exact_text(*state.predictions[i]);
  }
  write_figures(state.figures, kFigure, facts);
  write_figures(state.machine, kMachine, facts);
  return facts;
}

std::optional<RecordedLesson> recorded_lesson(const LessonNotes& facts) {
  const std::string words = fact_or_nothing(facts, kLesson);
  int of_number = 0;
  const auto read = std::from_chars(words.data(), words.data() + words.size(), of_number);
  if (read.ec != std::errc{} || read.ptr != words.data() + words.size()) return std::nullopt;
  const Lesson* const lesson = samples::find_lesson(of_number);
  if (lesson == nullptr || lesson->workload != fact_or_nothing(facts, "workload")) return std::nullopt;
  RecordedLesson recorded{.lesson = lesson};
  read_predictions(*lesson, facts, recorded.state);
  recorded.state.device = fact_or_nothing(facts, kDevice);
  recorded.state.figures = read_figures(*lesson, facts, kFigure);
  recorded.state.machine = read_figures(*lesson, facts, kMachine);
  if (const std::optional<samples::RunReport> report = report_of(facts)) {
    if (const LessonPart* part = samples::part_of(*lesson, *report))
      recorded.state.figures[part->id] = samples::figures_of(*lesson, *part, *report);
  }
  const bool all = samples::complete(*lesson, recorded.state.figures);
  recorded.state.stage = all ? LessonStage::kCompare : LessonStage::kRun;
  return recorded;
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
