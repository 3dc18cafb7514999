#include "gui/core/lesson_book.h"

#include <algorithm>
#include <charconv>
#include <utility>

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

constexpr std::string_view kLesson = "lesson", kPrediction = "lesson.prediction.";

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

}  // namespace

LessonNotes lesson_facts(const Lesson& lesson, const LessonState& state) {
  if (!state.written_down && state.figures.empty()) return {};
  LessonNotes facts{{std::string(kLesson), std::to_string(lesson.number)}};
  facts.merge(measured_facts({state.figures, state.machine, state.device}));
  for (std::size_t i = 0; state.written_down && i < state.predictions.size(); ++i) {
    if (state.predictions[i])
      facts[std::string(kPrediction) + std::to_string(i)] = exact_text(*state.predictions[i]);
  }
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
  MeasuredLesson measured = measured_lesson(*lesson, facts);
  recorded.state.device = std::move(measured.device);
  recorded.state.figures = std::move(measured.figures);
  recorded.state.machine = std::move(measured.machine);
  const bool all = samples::complete(*lesson, recorded.state.figures);
  recorded.state.stage = all ? LessonStage::kCompare : LessonStage::kRun;
  return recorded;
}

}  // namespace runahead::gui
