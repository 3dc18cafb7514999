// AppCore: what the run and the workers have brought since the last frame is taken, and new questions are
// asked.
#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "gui/core/app_core.h"
#include "gui/text/text.h"

namespace runahead::gui {

namespace {

using std::chrono::steady_clock;

// Figures at most four times a second, and never more than a quarter of one core.
constexpr std::chrono::milliseconds kFiguresPeriod{250};
constexpr double kFiguresShare = 4;

}  // namespace

bool AppCore::poll() {
  bool changed = session_->poll() && !opened_;
  if (job_) changed = poll_job() || changed;
  if (joining_) changed = poll_joining() || changed;
  note_run();
  if (poll_figures()) {
    poll_lesson();
    changed = true;
  }
  changed = poll_panels() || changed;
  changed = comparing_.poll(main_trace(), panels_.shows(kComparePanel)) || changed;
  changed = (loader_ && loader_->take_progress()) || changed;
  samples::Runner* const runner = session_->runner();
  const bool failed = runner != nullptr && runner->state() == samples::RunState::kFailed;
  if (failed && !was_failed_) fail(runner->failure());
  changed = changed || failed != was_failed_;
  was_failed_ = failed;
  if (was_recording_ && !session_->recording_to_file()) {
    // The run's end has ended the file: whether all of it was written is told here.
    recording_ended();
    changed = true;
  }
  was_recording_ = session_->recording_to_file();
  if (changed) poll_rates();
  return changed;
}

bool AppCore::poll_panels() {
  bool changed = false;
  for (PanelModule* panel : panels_.all())
    changed = panel->poll({trace(), trace_serial_, timeline_}) || changed;
  return changed;
}

bool AppCore::poll_figures() {
  bool changed = false;
  if (std::optional<FiguresAnswer> answer = figures_.take()) {
    if (asked_serial_ == trace_serial_) {
      answer_ = std::move(answer);
      answered_version_ = asked_version_;
    }
    const auto pause = std::max<std::chrono::duration<double, std::milli>>(
        kFiguresPeriod,
        std::chrono::duration<double, std::milli>((answer_ ? answer_->cost_ms : 0) * kFiguresShare));
    figures_due_ = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(pause);
    changed = true;
  }
  const bool new_range = timeline_.range != asked_range_;
  const bool stale = trace().version() != asked_version_ || asked_serial_ != trace_serial_ || new_range;
  if (figures_.busy() || !stale || trace().extent().empty()) return changed;
  // A pause is no part of what the person measures: the figures stand still with the program.
  const bool settled = answered_version_ != 0 && stands_still();
  if (!new_range && (settled || steady_clock::now() < figures_due_)) return changed;
  asked_version_ = trace().version();
  asked_range_ = timeline_.range;
  asked_serial_ = trace_serial_;
  figures_.ask({trace().snapshot(), trace_serial_, timeline_.range});
  return changed;
}

void AppCore::poll_rates() {
  const auto now = steady_clock::now();
  const double elapsed_s = std::chrono::duration<double>(now - rates_at_).count();
  if (elapsed_s < 0.5) return;
  rates_at_ = now;
  if (const auto stats = session_->recorder_stats()) {
    const std::uint64_t events = stats->events;
    events_per_s_ = events >= events_before_ ? static_cast<double>(events - events_before_) / elapsed_s : 0;
    events_before_ = events;
  }
  recording_bytes_ = session_->recording_bytes();
}

}  // namespace runahead::gui
