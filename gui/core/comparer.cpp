#include "gui/core/comparer.h"

#include <chrono>
#include <utility>
#include <vector>

#include "instrumentation/analysis/slice_search.h"

namespace runahead::gui {
namespace {

using analysis::SideSummary;
using Problem = CompareAnswer::Problem;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTellPeriod{100};

// Computes the summaries of both sides and caches them. Only the worker thread uses this class, so it needs
// no lock.
class Summaries {
 public:
  Summaries(std::shared_ptr<std::atomic<double>> done, std::function<void()> wake)
      : done_(std::move(done)), wake_(std::move(wake)) {}

  CompareAnswer answer(const CompareQuestion& question, const std::atomic<bool>& cancelled) {
    const auto begin = steady_clock::now();
    CompareAnswer answer{
        .asked = question.choice, .a_serial = question.a_serial, .b_serial = question.b_serial};
    const trace::Trace& b_trace = question.b ? *question.b : question.a;
    TimeRange a, b;
    if (choose(question, answer, a, b)) {
      done_->store(0, std::memory_order_relaxed);
      const SideSummary left = summary(question.a, a, 0, cancelled);
      const SideSummary right = left.cancelled ? SideSummary() : summary(b_trace, b, 0.5, cancelled);
      answer.cancelled = left.cancelled || right.cancelled;
      if (!answer.cancelled) answer.comparison = analysis::compare_sides(left, right);
    }
    answer.cost_ms = std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
    return answer;
  }

 private:
  struct Known {
    std::uint64_t trace = 0, version = 0;  // Trace::identity() and version()
    TimeRange range;
    Timestamp watermark{};
    SideSummary summary;
  };

  // Sets `a` and `b` to the ranges to compare. If there is nothing to compare, sets answer.problem and
  // returns false.
  static bool choose(const CompareQuestion& question, CompareAnswer& answer, TimeRange& a, TimeRange& b) {
    answer.changes = analysis::around_changes(question.a);
    const CompareChoice& choice = question.choice;
    switch (choice.mode) {
      case CompareMode::kChange: {
        if (answer.changes.empty()) {
          answer.problem = Problem::kNoChange;
          return false;
        }
        const std::size_t last = answer.changes.size() - 1;
        answer.change = std::min(choice.change.value_or(last), last);
        a = answer.changes[*answer.change].before;
        b = answer.changes[*answer.change].after;
        break;
      }
      case CompareMode::kRanges:
        if (!choice.a || !choice.b) {
          answer.problem = Problem::kNoRanges;
          return false;
        }
        a = *choice.a;
        b = *choice.b;
        break;
      case CompareMode::kRecording:
        if (!question.b) break;
        a = choice.a.value_or(analysis::whole_side(question.a, *question.b));
        b = choice.b.value_or(analysis::whole_side(*question.b, question.a));
        break;
    }
    if (!a.empty() && !b.empty()) return true;
    answer.problem = Problem::kNothingThere;
    return false;
  }

  SideSummary summary(const trace::Trace& trace, TimeRange range, double done_before,
                      const std::atomic<bool>& cancelled) {
    for (const Known& known : known_) {
      if (known.trace != trace.identity() || known.range != range) continue;
      // All rows before the watermark were complete when the summary was made. If the range ends before that
      // watermark, the summary stays valid while the trace grows.
      if (known.version == trace.version() || range.end <= known.watermark) return known.summary;
    }
    auto told = steady_clock::now();
    Known fresh{trace.identity(), trace.version(), range, trace.watermark(), {}};
    fresh.summary = analysis::summarize_side(trace, range, [&](double done) {
      done_->store(done_before + done / 2, std::memory_order_relaxed);
      if (steady_clock::now() - told >= kTellPeriod) {
        told = steady_clock::now();
        wake_();
      }
      return !cancelled.load(std::memory_order_relaxed);
    });
    if (fresh.summary.cancelled) return fresh.summary;
    constexpr std::size_t kMostKnown = 2;  // one summary for each side
    if (known_.size() == kMostKnown) known_.erase(known_.begin());
    known_.push_back(std::move(fresh));
    return known_.back().summary;
  }

  const std::shared_ptr<std::atomic<double>> done_;  // for display only
  const std::function<void()> wake_;
  std::vector<Known> known_;
};

ListedSlices list_side(const trace::Trace& trace, TimeRange range, const CompareSlices& wanted,
                       const std::atomic<bool>& cancelled, bool& cut) {
  analysis::SliceSearch search;
  search.name = wanted.name;
  search.kinds = trace::kinds_of(wanted.kind);
  search.duration.least = wanted.least;
  search.duration.most = wanted.most;
  const analysis::FoundSlices found =
      analysis::find_slices(trace, search, range, analysis::FoundOrder::kByTime, kMostListed, cancelled,
                            analysis::FoundDetail::kLeftOut);
  cut = cut || found.cancelled;
  ListedSlices out;
  out.count = found.count;
  for (const analysis::FoundSlice& slice : found.slices)
    out.slices.push_back({slice.track, slice.depth, slice.row, false});
  return out;
}

}  // namespace

Comparer::Work comparer_work(std::shared_ptr<std::atomic<double>> done, std::function<void()> wake) {
  return [summaries = std::make_shared<Summaries>(std::move(done), std::move(wake))](
             const CompareQuestion& question, const std::atomic<bool>& cancelled) {
    return summaries->answer(question, cancelled);
  };
}

ListAnswer list_compared(const ListQuestion& question, const std::atomic<bool>& cancelled) {
  ListAnswer answer{.slices = question.slices, .listed = {}, .answer = question.answer};
  const trace::Trace& b = question.b ? *question.b : question.a;
  answer.listed[0] = list_side(question.a, question.a_range, question.slices, cancelled, answer.cancelled);
  answer.listed[1] = list_side(b, question.b_range, question.slices, cancelled, answer.cancelled);
  return answer;
}

}  // namespace runahead::gui
