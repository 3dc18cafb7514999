#include "gui/cli/pages/lesson_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "gui/session/session.h"
#include "gui/session/trace_times.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/predict/barrier_figures.h"

namespace runahead::gui {

namespace {

using samples::Lesson;
using samples::LessonPart;

constexpr std::chrono::milliseconds kPollPeriod{10};
constexpr std::chrono::milliseconds kJudgePeriod{500};
constexpr std::chrono::seconds kLeastFirstPart{8}, kMostPart{60};

Error stopped_error() { return Error{"the lesson's run was stopped"}; }

// Polls until the run has ended, or until `enough`, which is asked less often, returns true.
Status poll_run(Session& session, const LessonGoesOn& goes_on, const std::function<bool()>& enough) {
  auto judge_at = std::chrono::steady_clock::now() + kJudgePeriod;
  while (session.live()) {
    if (!goes_on()) {
      session.stop();
      return stopped_error();
    }
    session.poll();
    if (enough && std::chrono::steady_clock::now() >= judge_at) {
      if (enough()) return Ok{};
      judge_at = std::chrono::steady_clock::now() + kJudgePeriod;
    }
    std::this_thread::sleep_for(kPollPeriod);
  }
  return Ok{};
}

Result<samples::RunReport> ended_report(Session& session) {
  Result<samples::RunReport> report = session.runner()->wait();
  session.settle();
  if (report) add_trace_times(*report, session.trace());
  return report;
}

// Runs one part to its end.
Status run_part(Session& session, const Lesson& lesson, const LessonPart& part, const LessonGoesOn& goes_on,
                MeasuredLesson& measured) {
  if (const auto error = session.start(samples::config_of(lesson, part))) return error->error;
  if (Status ran = poll_run(session, goes_on, {}); !ran) return ran;
  const Result<samples::RunReport> report = ended_report(session);
  if (!report) return report.error();
  measured.device = report->device;
  measured.figures[part.id] = samples::figures_of(lesson, part, *report);
  return Ok{};
}

// What the machine predicts for the next part, from the part that ran. Figures that no barrier changes, such
// as the size of the parameters, are those of that part.
void predict_next(const LessonPart& ran, const LessonPart& next, const trace::Trace& trace,
                  MeasuredLesson& measured) {
  if (next.settings != ran.settings) return;
  samples::Figures figures = predict::figures_with_barrier(trace, next.barrier);
  if (figures.empty()) return;
  const samples::Figures& known = measured.figures[ran.id];
  if (const auto parameters = known.find("params_bytes"); parameters != known.end())
    figures.insert(*parameters);
  measured.machine[next.id] = std::move(figures);
}

Result<LessonRun> run_parts(const Lesson& lesson, const LessonGoesOn& goes_on) {
  LessonRun run;
  for (std::size_t i = 0; i < lesson.parts.size(); ++i) {
    Session session;
    if (Status ran = run_part(session, lesson, lesson.parts[i], goes_on, run.measured); !ran)
      return ran.error();
    if (i + 1 < lesson.parts.size())
      predict_next(lesson.parts[i], lesson.parts[i + 1], session.trace(), run.measured);
    run.trace = session.trace().snapshot();
  }
  return run;
}

// True if the segment of the last barrier has a steady rate over enough time.
bool last_settled(const trace::Trace& trace, std::string_view barrier) {
  const std::vector<analysis::BarrierSegment> segments = analysis::barrier_segments(trace);
  return !segments.empty() && segments.back().barrier == barrier && segments.back().settled() &&
         covers_enough(segments.back().figures);
}

Status wait_for_part(Session& session, const LessonPart& part, std::chrono::seconds least,
                     const LessonGoesOn& goes_on) {
  const auto begin = std::chrono::steady_clock::now();
  return poll_run(session, goes_on, [&] {
    const auto passed = std::chrono::steady_clock::now() - begin;
    return passed >= kMostPart || (passed >= least && last_settled(session.trace(), part.barrier));
  });
}

Result<LessonRun> run_toggled(const Lesson& lesson, const LessonGoesOn& goes_on) {
  LessonRun run;
  Session session;
  const LessonPart* now = &lesson.parts.front();
  if (const auto error = session.start(samples::config_of(lesson, *now))) return error->error;
  if (Status ran = wait_for_part(session, *now, kLeastFirstPart, goes_on); !ran) return ran.error();
  for (std::size_t i = 1; i < lesson.parts.size(); ++i) {
    const LessonPart& next = lesson.parts[i];
    const BarrierPolicy barrier = samples::config_of(lesson, next).barrier;
    samples::Figures predicted =
        predict::settled_figures(session.trace().snapshot(), session.runner()->barrier(), barrier);
    if (!predicted.empty()) run.measured.machine[next.id] = std::move(predicted);
    session.runner()->set_barrier(barrier);
    if (Status ran = wait_for_part(session, next, std::chrono::seconds{0}, goes_on); !ran) return ran.error();
  }
  session.runner()->stop();
  if (Status ended = poll_run(session, goes_on, {}); !ended) return ended.error();
  const Result<samples::RunReport> report = ended_report(session);
  if (!report) return report.error();
  run.measured.device = report->device;
  run.measured.figures = toggled_figures(lesson, session.trace());
  run.trace = session.trace().snapshot();
  return run;
}

}  // namespace

Result<LessonRun> run_lesson(const Lesson& lesson, const LessonGoesOn& goes_on) {
  Result<LessonRun> run = lesson.toggled ? run_toggled(lesson, goes_on) : run_parts(lesson, goes_on);
  if (run && !samples::complete(lesson, run->measured.figures)) {
    return Error{"lesson " + std::to_string(lesson.number) +
                 ": its run did not measure all of its figures: run it again on a machine with less load"};
  }
  return run;
}

}  // namespace runahead::gui
