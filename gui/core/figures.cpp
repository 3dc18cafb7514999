#include "gui/core/figures.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

namespace runahead::gui {

namespace {

// Figures are computed at most four times a second, and use at most a quarter of one core.
constexpr std::chrono::milliseconds kFiguresPeriod{250};
// How often the summary of a trace that grows is computed again, at most.
constexpr std::chrono::milliseconds kSummaryPeriod{500};
constexpr double kFiguresShare = 4;

// Answers repeated questions about a growing trace. This class is used by the worker only.
class GrowingFigures {
 public:
  explicit GrowingFigures(std::uint64_t serial = 0) : serial_(serial) {}

  FiguresAnswer answer(const FiguresQuestion& question) {
    const auto begin = std::chrono::steady_clock::now();
    if (question.trace_serial != serial_) *this = GrowingFigures(question.trace_serial);
    FiguresAnswer answer;
    answer.parts = analysis::parts_of_run(question.snapshot);
    if (question.strip) {
      answer.strip = strip_.update(question.snapshot, question.range);
      answer.curves = curves(question.snapshot);
      if (answer.strip) {
        answer.levels_before = levels(question.snapshot, *answer.strip);
        answer.compared = compared_times(*answer.strip);
      }
    }
    answer.range = question.range;
    if (question.range) {
      answer.range_facts.figures = analysis::segment_figures(question.snapshot, *question.range);
      answer.range_facts.names =
          analysis::statistics_by_name(question.snapshot, *question.range, analysis::OpLives::kLeftOut);
    }
    answer.cost_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return answer;
  }

 private:
  std::shared_ptr<const CurveFacts> curves(const trace::Trace& trace) {
    curves_.update(trace);
    CurveFacts facts{curves_.points(), {}};
    if (facts.points.empty()) return nullptr;
    for (const analysis::BarrierChange& change : analysis::barrier_changes(trace)) {
      if (!analysis::is_start(change) && change.at >= facts.points.front().begin)
        facts.changes.push_back(change.at);
    }
    return std::make_shared<const CurveFacts>(std::move(facts));
  }

  // The levels are computed once for each change.
  const std::vector<TimelineState::Level>& levels(const trace::Trace& trace,
                                                  const StripTracker::State& strip) {
    const TimeRange before = strip.figures.before.range;
    if (before != levels_of_) {
      levels_of_ = before;
      levels_ = levels_before(trace, strip);
    }
    return levels_;
  }

  std::uint64_t serial_;
  TimeRange levels_of_{};
  std::vector<TimelineState::Level> levels_;
  StripTracker strip_;
  analysis::RunCurves curves_;
};

std::optional<analysis::TraceSummary> summary_work(const trace::Trace& trace,
                                                   const std::atomic<bool>& cancelled) {
  return analysis::summarize_trace(trace, [&](double) { return !cancelled; });
}

}  // namespace

Figures::Work figures_work() {
  return [figures = std::make_shared<GrowingFigures>()](const FiguresQuestion& question, const auto&) {
    return figures->answer(question);
  };
}

Measuring::Measuring(Screen& screen)
    : screen_(screen), figures_(figures_work(), screen.wake), summaries_(summary_work, screen.wake) {}

bool Measuring::poll() {
  const bool figures = poll_figures();
  return poll_summary() || figures;
}

bool Measuring::poll_summary() {
  bool changed = false;
  if (auto answer = summaries_.take(); answer && summarised_serial_ == screen_.serial) {
    summary_ = std::move(*answer);
    changed = true;
    const auto now = std::chrono::steady_clock::now();
    summary_due_ =
        now + std::max<std::chrono::steady_clock::duration>(kSummaryPeriod, (now - summary_asked_) * 3);
  }
  if (!screen_.trace_mode || summaries_.busy() || summary_is_of_this_trace()) return changed;
  if (screen_.trace().extent().empty()) return changed;
  const auto now = std::chrono::steady_clock::now();
  if (summarised_serial_ == screen_.serial && now < summary_due_) return changed;
  summarised_serial_ = screen_.serial;
  summarised_version_ = screen_.trace().version();
  summary_asked_ = now;
  summaries_.ask(screen_.trace().snapshot());
  return changed;
}

bool Measuring::poll_figures() {
  bool changed = false;
  if (std::optional<FiguresAnswer> answer = figures_.take()) {
    if (asked_serial_ == screen_.serial) {
      answer_ = std::move(answer);
      screen_.timeline.levels_before = answer_->levels_before;
      screen_.timeline.compared = answer_->compared;
      screen_.timeline.parts = answer_->parts;
      answered_version_ = asked_version_;
    }
    const auto pause = std::max<std::chrono::duration<double, std::milli>>(
        kFiguresPeriod,
        std::chrono::duration<double, std::milli>((answer_ ? answer_->cost_ms : 0) * kFiguresShare));
    due_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
    changed = true;
  }
  const bool new_range = screen_.timeline.range != asked_range_;
  const bool stale =
      screen_.trace().version() != asked_version_ || asked_serial_ != screen_.serial || new_range;
  if (figures_.busy() || !stale || screen_.trace().extent().empty()) return changed;
  // The figures exclude pauses. Therefore the figures do not change while the run is paused, and they are not
  // computed again.
  const bool paused = answered_version_ != 0 && screen_.stands_still();
  if (!new_range && (paused || std::chrono::steady_clock::now() < due_)) return changed;
  asked_version_ = screen_.trace().version();
  asked_range_ = screen_.timeline.range;
  asked_serial_ = screen_.serial;
  figures_.ask({screen_.trace().snapshot(), screen_.serial, screen_.compares, screen_.timeline.range});
  return changed;
}

void Measuring::trace_replaced() {
  answer_.reset();
  answered_version_ = asked_version_ = 0;
  asked_range_.reset();
  screen_.timeline.parts.clear();
  screen_.timeline.compared.clear();
  summary_.reset();
  summaries_.cancel();
}

bool Measuring::up_to_date() const {
  if (figures_.busy() || summaries_.busy()) return false;
  if (screen_.trace().extent().empty()) return true;
  if (screen_.trace_mode && !summary_is_of_this_trace()) return false;
  return answered_version_ == screen_.trace().version() &&
         (!answer_ || answer_->range == screen_.timeline.range);
}

const StripTracker::State* Measuring::strip() const {
  const bool shows_it = answer_ && answer_->strip && !answer_->strip->chosen;
  return shows_it ? &*answer_->strip : nullptr;
}

FigureFacts Measuring::facts() const {
  FigureFacts facts;
  if (screen_.trace_mode) facts.summary = summary_;
  if (!answer_ || screen_.trace().extent().empty()) return facts;
  if (answer_->strip) {
    set_strip(*answer_->strip, screen_.trace(), facts);
    facts.curves = answer_->curves;
  }
  if (screen_.timeline.range && answer_->range == screen_.timeline.range) facts.range = answer_->range_facts;
  return facts;
}

}  // namespace runahead::gui
