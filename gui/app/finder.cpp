#include "gui/app/finder.h"

#include <chrono>
#include <utility>

namespace runahead::gui {
namespace {

std::int64_t step_of(const trace::Trace& trace, const trace::Slice& slice) {
  const auto op = slice.op != kNoOp ? trace.op(slice.op) : std::nullopt;
  return op ? op->step : -1;
}

}  // namespace

FindAnswer find(const FindQuestion& question, const std::atomic<bool>& cancelled) {
  const auto begin = std::chrono::steady_clock::now();
  FindAnswer answer{.asked = question.words, .trace_serial = question.trace_serial};
  const trace::Trace& trace = question.snapshot;
  const Result<analysis::SliceSearch> search = analysis::parse_slice_search(question.words.words);
  if (!search) {
    answer.error = search.error().message;
    return answer;
  }
  if (search->empty()) {
    answer.names = analysis::statistics_by_name(trace, question.range, analysis::OpLives::kLeftOut);
  } else {
    answer.found =
        analysis::find_slices(trace, *search, question.range, question.words.order, kMostFound, cancelled);
    answer.histogram = analysis::duration_histogram(std::exchange(answer.found.durations, {}));
    for (const analysis::FoundSlice& found : answer.found.slices)
      answer.steps.push_back(step_of(trace, found.slice));
  }
  answer.cost_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

}  // namespace runahead::gui
