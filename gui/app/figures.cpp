#include "gui/app/figures.h"

#include <chrono>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::gui {

namespace {

// Asked again and again about a trace that grows: reads only what has come since. The worker's own.
class GrowingFigures {
 public:
  FiguresAnswer answer(const FiguresQuestion& question) {
    const auto begin = std::chrono::steady_clock::now();
    if (question.trace_serial != serial_) *this = GrowingFigures(question.trace_serial);
    FiguresAnswer answer;
    answer.before_after = tracker_.update(question.snapshot);
    if (!answer.before_after) answer.before_after = since_start(question.snapshot);
    answer.range = question.range;
    if (question.range) {
      answer.range_facts.figures = analysis::segment_figures(question.snapshot, *question.range);
      answer.range_facts.names = analysis::statistics_by_name(question.snapshot, *question.range);
    }
    answer.cost_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return answer;
  }

  explicit GrowingFigures(std::uint64_t serial = 0) : serial_(serial) {}

 private:
  std::optional<analysis::BeforeAfter> since_start(const trace::Trace& trace) {
    if (trace.extent().empty()) return std::nullopt;
    if (!so_far_) {
      const std::vector<analysis::BarrierChange> changes = analysis::barrier_changes(trace);
      start_ = changes.empty() ? analysis::BarrierChange{trace.extent().begin, ""} : changes.front();
      so_far_.emplace(start_.at);
    }
    so_far_->extend(trace, trace.watermark());
    return analysis::BeforeAfter{start_, {}, so_far_->figures()};
  }

  std::uint64_t serial_;
  analysis::SegmentTracker tracker_;
  analysis::BarrierChange start_;
  std::optional<analysis::SegmentAccumulator> so_far_;
};

}  // namespace

Figures::Figures(std::function<void()> wake) : wake_(std::move(wake)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Figures::~Figures() = default;  // the jthread asks its thread to stop, which wakes the wait, and joins

void Figures::ask(FiguresQuestion question) {
  RUNAHEAD_CHECK(!asked_);
  asked_ = true;
  {
    const std::scoped_lock lock(mutex_);
    question_ = std::move(question);
  }
  changed_.notify_one();
}

std::optional<FiguresAnswer> Figures::take() {
  const std::scoped_lock lock(mutex_);
  if (!answer_) return std::nullopt;
  asked_ = false;
  return std::exchange(answer_, std::nullopt);
}

void Figures::work(const std::stop_token& stop) {
  GrowingFigures figures;
  while (true) {
    std::optional<FiguresQuestion> question;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return question_.has_value(); })) return;
      question = std::exchange(question_, std::nullopt);
    }
    FiguresAnswer answer = figures.answer(*question);
    question.reset();  // the snapshot holds blocks; let them go before the answer is seen
    {
      const std::scoped_lock lock(mutex_);
      answer_ = std::move(answer);
    }
    wake_();
  }
}

}  // namespace runahead::gui
