#include "gui/core/figures.h"

#include <chrono>
#include <memory>

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
      answer.range_facts.names =
          analysis::statistics_by_name(question.snapshot, *question.range, analysis::OpLives::kLeftOut);
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

Figures::Work figures_work() {
  return [figures = std::make_shared<GrowingFigures>()](const FiguresQuestion& question, const auto&) {
    return figures->answer(question);
  };
}

}  // namespace runahead::gui
