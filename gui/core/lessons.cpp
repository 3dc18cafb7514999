// AppCore: lessons, from the question to the explanation.
#include <algorithm>

#include "gui/core/app_core.h"
#include "gui/panels/strip/strip_figures.h"
#include "instrumentation/analysis/settled.h"

namespace runahead::gui {

using samples::Lesson;
using samples::LessonPart;

const Lesson* AppCore::chosen_lesson() const {
  return exercise_ == 0 ? samples::find_lesson(choice_.workload) : nullptr;
}

void AppCore::turn_to(LessonStage stage) {
  const Lesson* const lesson = chosen_lesson();
  if (lesson == nullptr) return;
  if (recorded_lesson_ && recorded_lesson_->lesson == lesson) {
    recorded_lesson_->state.stage = stage;
  } else {
    lessons_.turn_to(*lesson, stage);
  }
}

void AppCore::run_part(const std::string& id) {
  const Lesson* const lesson = chosen_lesson();
  const LessonPart* const part = lesson != nullptr ? samples::find_part(*lesson, id) : nullptr;
  if (part == nullptr) return;
  const samples::RunConfig config = samples::config_of(*lesson, *part);
  const bool goes_on = lesson->toggled && session_->live() && started_.workload == lesson->workload &&
                       started_.settings == config.settings && started_.endless;
  if (goes_on) return set_barrier(config.barrier);
  // Devices and engine stay as they were chosen: a lesson may be held on any of them.
  choice_.size = config.size;
  choice_.settings = config.settings;
  choice_.endless = config.endless;
  choice_.barrier = config.barrier;
  start(false);
}

void AppCore::note_lesson(const samples::RunReport& report) {
  const Lesson* const lesson = samples::find_lesson(report.workload);
  const LessonPart* const part = lesson != nullptr ? samples::part_of(*lesson, report) : nullptr;
  if (part == nullptr) return;
  lessons_.add(*lesson, *part, samples::figures_of(*lesson, *part, report), report.device);
  note_lesson_facts();
}

void AppCore::note_lesson_facts() {
  const Lesson* const lesson = samples::find_lesson(choice_.workload);
  const LessonNotes facts = lesson != nullptr ? lesson_facts(*lesson, lessons_.of(*lesson)) : LessonNotes{};
  session_->set_notes(facts);
  // The capture on the screen may be of another lesson.
  if (opened_ || lesson == nullptr || workload_on_screen() != lesson->workload) return;
  for (const auto& [key, value] : facts) session_->add_fact(key, value);
}

std::string AppCore::workload_on_screen() const {
  if (opened_) {
    const auto found = opened_->metadata().find("workload");
    return found != opened_->metadata().end() ? found->second : std::string();
  }
  return session_->runner() != nullptr ? started_.workload : std::string();
}

void AppCore::poll_lesson() {
  const Lesson* const lesson = samples::find_lesson(workload_on_screen());
  if (lesson == nullptr || !lesson->toggled) return;
  if (!answer_ || !answer_->strip || answer_->strip->draining) return;
  const analysis::BeforeAfter& strip = answer_->strip->figures;
  const LessonPart* const before = part_under(*lesson, analysis::barrier_before(strip.change.label));
  const LessonPart* const after = part_under(*lesson, analysis::barrier_after(strip.change.label));
  if (before == nullptr || after == nullptr || still_settling(strip.before) || still_settling(strip.after))
    return;
  const auto add = [&](const LessonPart& part, const analysis::SegmentFigures& segment) {
    if (!opened_)
      return lessons_.add(*lesson, part, toggle_figures(segment), session_->runner()->report().device);
    if (recorded_lesson_) recorded_lesson_->state.figures[part.id] = toggle_figures(segment);
  };
  add(*before, strip.before);
  add(*after, strip.after);
}

LessonFacts AppCore::lesson_facts_of_screen() {
  const Lesson* const lesson = chosen_lesson();
  if (lesson == nullptr) return {};
  LessonFacts facts{.lesson = lesson};
  if (opened_ && recorded_lesson_ && recorded_lesson_->lesson == lesson) {
    facts.state = recorded_lesson_->state;
    facts.of_recording = true;
    return facts;
  }
  facts.state = lessons_.of(*lesson);
  if (!session_->live() || opened_ || started_.workload != lesson->workload) return facts;
  const std::string barrier = engine::to_string(session_->runner()->barrier());
  const LessonPart* const part = part_under(*lesson, barrier);
  if (part != nullptr && started_.settings == part->settings && started_.endless == lesson->toggled)
    facts.running = part;
  facts.settling = facts.running != nullptr && lesson->toggled &&
                   !facts.state.figures.contains(facts.running->id) &&
                   facts.running != &lesson->parts.front();
  return facts;
}

void AppCore::reset_class() {
  error_.clear();
  notice_.clear();
  begin_session();
  if (job_ && job_->kind() == Job::Kind::kOpen) job_->cancel();
  loader_.reset();
  opened_.reset();
  opened_path_.clear();
  recorded_lesson_.reset();
  lessons_.forget_all();
  ended_runs_.clear();
  run_noted_ = true;
  timeline_ = TimelineState{};
  new_trace();
  // The same lesson, as it is first met.
  const samples::RunConfig usual;
  choice_.size = usual.size;
  choice_.barrier = usual.barrier;
  usual_engine_ = usual.engine;
  exercise_ = started_exercise_ = 0;
  choose_workload(choice_.workload);
}

}  // namespace runahead::gui
