#include "gui/core/lessons_part.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/module_file.h"
#include "instrumentation/predict/barrier_figures.h"

namespace runahead::gui {

using samples::Lesson;
using samples::LessonPart;

namespace {

namespace fs = std::filesystem;

// Returns the Python listing of each workload that has one. Empty if the Python package is not installed.
std::map<std::string, fs::path> find_listings() {
  std::map<std::string, fs::path> listings;
  const std::optional<fs::path> package = find_python_package();
  if (!package) return listings;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(*package / "runahead_listings", error))
    if (file.path().extension() == ".py") listings.emplace(file.path().stem().string(), file.path());
  return listings;
}

}  // namespace

Lessons::Lessons(Screen& screen, Running& running)
    : screen_(screen),
      running_(running),
      listings_(find_listings()),
      predicting_([](const PartQuestion& question, const auto&) { return predict_part(question); },
                  screen.wake) {}

void Lessons::apply(const LessonCommand& command) {
  const Lesson* const lesson = chosen();
  if (lesson != nullptr) std::visit([&](const auto& c) { on(*lesson, c); }, command);
}

const Lesson* Lessons::chosen() const {
  return running_.exercise() == 0 ? samples::find_lesson(running_.choice().workload) : nullptr;
}

void Lessons::on(const Lesson& lesson, const TurnToStage& c) {
  if (recorded_ && recorded_->lesson == &lesson) {
    recorded_->state.stage = c.stage;
  } else {
    book_.turn_to(lesson, c.stage);
  }
}

void Lessons::on(const Lesson& lesson, const Predict& c) { book_.predict(lesson, c.index, c.value); }

void Lessons::on(const Lesson& lesson, const WriteDown&) {
  book_.write_down(lesson);
  note_facts();
}

void Lessons::on(const Lesson& lesson, const BeginLessonAgain&) { book_.begin_again(lesson); }

void Lessons::on(const Lesson& lesson, const RunPart& c) {
  const LessonPart* const part = samples::find_part(lesson, c.id);
  if (part == nullptr) return;
  const samples::RunConfig config = samples::config_of(lesson, *part);
  const samples::RunConfig& started = running_.started();
  const bool goes_on = lesson.toggled && screen_.session->live() && started.workload == lesson.workload &&
                       started.settings == config.settings && started.endless;
  goes_on ? running_.set_barrier(config.barrier) : running_.run_as(config);
}

void Lessons::note(const samples::RunReport& report) {
  const Lesson* const lesson = samples::find_lesson(report.workload);
  const LessonPart* const part = lesson != nullptr ? samples::part_of(*lesson, report) : nullptr;
  if (part == nullptr) return;
  const samples::Figures figures = samples::figures_of(*lesson, *part, report);
  book_.add(*lesson, *part, figures, report.device);
  note_facts();
  ask_machine(*lesson, *part, figures);
}

// ---- the machine's prediction -----------------------------------------------------------------------------

void Lessons::ask_machine(const Lesson& lesson, const LessonPart& ran, const samples::Figures& measured) {
  const LessonState& state = book_.of(lesson);
  const auto next = std::ranges::find_if(lesson.parts, [&](const LessonPart& part) {
    return &part != &ran && part.settings == ran.settings && !state.figures.contains(part.id);
  });
  if (next == lesson.parts.end() || predicting_.busy() || screen_.opened) return;
  predicting_.ask({screen_.trace().snapshot(), &lesson, &*next, measured});
}

// Figures that no barrier changes, such as the size of the parameters, are those of the part that ran.
Lessons::PartAnswer Lessons::predict_part(const PartQuestion& question) {
  PartAnswer answer{.lesson = question.lesson, .part = question.part};
  answer.figures = predict::figures_with_barrier(question.trace, question.part->barrier);
  if (answer.figures.empty()) return answer;
  const auto parameters = question.measured.find("params_bytes");
  if (parameters != question.measured.end()) answer.figures.insert(*parameters);
  return answer;
}

bool Lessons::poll() {
  const std::optional<PartAnswer> answer = predicting_.take();
  if (!answer || answer->figures.empty()) return false;
  book_.add_machine(*answer->lesson, *answer->part, answer->figures);
  note_facts();
  return true;
}

void Lessons::take_forecast(const std::optional<PressedForecast>& pressed) {
  const Lesson* const lesson = screen_.opened ? nullptr : samples::find_lesson(workload_on_screen());
  if (!pressed || lesson == nullptr || !lesson->toggled) return;
  const predict::PolicyForecast& forecast = pressed->forecast;
  const LessonPart* const part = part_under(*lesson, to_string(forecast.policy));
  if (part == nullptr || running_.started().settings != part->settings) return;
  book_.add_machine(*lesson, *part,
                    {{"steps_per_s", forecast.steps_per_s},
                     {"peak_bytes", static_cast<double>(forecast.peak_bytes)},
                     {"max_run_ahead_steps", static_cast<double>(forecast.max_steps)}});
}

void Lessons::note_facts() {
  const Lesson* const lesson = samples::find_lesson(running_.choice().workload);
  const LessonNotes facts = lesson != nullptr ? lesson_facts(*lesson, book_.of(*lesson)) : LessonNotes{};
  screen_.session->set_notes(facts);
  // The facts about the lesson go into the current capture only if the captured run is of this lesson's
  // workload.
  if (screen_.opened || lesson == nullptr || workload_on_screen() != lesson->workload) return;
  for (const auto& [key, value] : facts) screen_.session->add_fact(key, value);
}

std::string Lessons::workload_on_screen() const {
  if (screen_.opened) {
    const auto found = screen_.opened->metadata().find("workload");
    return found != screen_.opened->metadata().end() ? found->second : std::string();
  }
  return screen_.session->runner() != nullptr ? running_.started().workload : std::string();
}

void Lessons::take_figures(const StripTracker::State* strip_now) {
  const Lesson* const lesson = samples::find_lesson(workload_on_screen());
  if (lesson == nullptr || !lesson->toggled) return;
  if (strip_now == nullptr || strip_now->after.phase == analysis::Phase::kDraining) return;
  const analysis::BeforeAfter& strip = strip_now->figures;
  const LessonPart* const before = part_under(*lesson, analysis::barrier_before(strip.change.label));
  const LessonPart* const after = part_under(*lesson, analysis::barrier_after(strip.change.label));
  if (before == nullptr || after == nullptr || !covers_enough(strip.before) || !covers_enough(strip.after))
    return;
  const bool settled =
      analysis::doubt_about(strip_now->before, strip_now->after, strip_now->late()) == analysis::Doubt::kNone;
  const auto add = [&](const LessonPart& part, const analysis::SegmentFigures& segment) {
    samples::Figures figures = toggle_figures(segment);
    if (!settled) figures[samples::kUnsettled] = 1;
    if (!screen_.opened) return book_.add(*lesson, part, figures, screen_.session->runner()->report().device);
    if (recorded_) recorded_->state.figures[part.id] = std::move(figures);
  };
  add(*before, strip.before);
  add(*after, strip.after);
}

LessonFacts Lessons::facts() {
  const Lesson* const lesson = chosen();
  if (lesson == nullptr) return {};
  LessonFacts facts{.lesson = lesson};
  if (const auto found = listings_.find(lesson->workload); found != listings_.end())
    facts.listing = found->second;
  if (screen_.opened && recorded_ && recorded_->lesson == lesson) {
    facts.state = recorded_->state;
    facts.of_recording = true;
    return facts;
  }
  facts.state = book_.of(*lesson);
  if (!screen_.session->live() || screen_.opened || running_.started().workload != lesson->workload)
    return facts;
  const std::string barrier = to_string(screen_.session->runner()->barrier());
  const LessonPart* const part = part_under(*lesson, barrier);
  if (part != nullptr && running_.started().settings == part->settings &&
      running_.started().endless == lesson->toggled)
    facts.running = part;
  facts.warming_up = facts.running != nullptr && lesson->toggled &&
                     !facts.state.figures.contains(facts.running->id) &&
                     facts.running != &lesson->parts.front();
  return facts;
}

}  // namespace runahead::gui
