#include "gui/app/figures.h"

#include <chrono>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::gui {

namespace {

// Asked again and again about a trace that grows. The worker's own.
class GrowingFigures {
 public:
  explicit GrowingFigures(std::uint64_t serial = 0) : serial_(serial) {}

  FiguresAnswer answer(const FiguresQuestion& question) {
    const auto begin = std::chrono::steady_clock::now();
    if (question.trace_serial != serial_) *this = GrowingFigures(question.trace_serial);
    FiguresAnswer answer;
    answer.strip = strip_.update(question.snapshot);
    answer.range = question.range;
    if (question.range) {
      answer.range_facts.figures = analysis::segment_figures(question.snapshot, *question.range);
      answer.range_facts.names = analysis::statistics_by_name(question.snapshot, *question.range);
    }
    answer.cost_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return answer;
  }

 private:
  std::uint64_t serial_;
  StripTracker strip_;
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
