#include "gui/panels/whatif/whatif_answers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/answers/prediction_words.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/sweep.h"
#include "instrumentation/predict/timeline/predicted_trace.h"

namespace runahead::gui {
namespace {

using predict::Replay;

constexpr int kMostWindow = 16;
constexpr std::size_t kMostOfferedNames = 200;
// The list takes most of the time, the curve the rest.
constexpr double kShareOfList = 0.8;

std::vector<std::string> names_by_time(const Replay& replay) {
  std::map<StringId, Duration> times;
  for (const predict::Op& op : replay.run().program.ops) times[op.name] += op.duration;
  std::vector<std::pair<Duration, std::string>> sorted;
  for (const auto& [name, time] : times) {
    if (const std::string_view words = replay.trace().string(name); !words.empty())
      sorted.emplace_back(time, words);
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (sorted.size() > kMostOfferedNames) sorted.resize(kMostOfferedNames);
  std::vector<std::string> out;
  for (auto& [time, name] : sorted) out.push_back(std::move(name));
  return out;
}

std::shared_ptr<const KnownReplay> replay_for(const WhatIfReporter::Question& question) {
  const std::optional<BarrierPolicy>& recent = question.asked.recent;
  if (!recent) return known_replay(question.snapshot);
  return std::make_shared<const KnownReplay>(question.snapshot.snapshot(), predict::recent_part(*recent));
}

// Simulates each window. False: cancelled.
bool add_curve(const Replay& replay, const std::function<bool(double)>& progress, WhatIfAnswer& answer) {
  std::vector<predict::RunFigures> points;
  for (int window = 1; window <= kMostWindow; ++window) {
    if (!progress(static_cast<double>(window - 1) / kMostWindow)) return false;
    const predict::Change change{"barrier", "window:" + std::to_string(window)};
    predict::Program program = replay.run().program;
    if (!predict::apply(change, replay.trace(), program)) return true;
    const predict::Outcome outcome = simulate(program);
    if (outcome.stuck) continue;
    points.push_back(predict::run_figures(replay, program, outcome));
    answer.curve.push_back({window, points.back().steps_per_s, points.back().peak_bytes});
  }
  if (!points.empty()) answer.knee = predict::knee_of(points);
  return true;
}

}  // namespace

std::string refusal_text(const WhatIfAnswer& answer) {
  return why_no_prediction(answer.ranked->known->replay);
}

WhatIfReporter::Work make_ranker(std::shared_ptr<std::atomic<double>> done, std::function<void()> wake) {
  return [done = std::move(done), wake = std::move(wake)](
             const WhatIfReporter::Question& question,
             const std::atomic<bool>& cancelled) -> std::optional<WhatIfAnswer> {
    const auto progress = [&](double part) {
      done->store(part, std::memory_order_relaxed);  // only shown
      if (!question.asked.recent) wake();
      return !cancelled.load(std::memory_order_relaxed);
    };
    if (!progress(0)) return std::nullopt;
    const std::shared_ptr<const KnownReplay> known = replay_for(question);
    WhatIfAnswer answer{.wanted = question.asked};
    RankedChanges ranked{known, {}};
    if (known->replay.ok() && known->replay->trusted()) {
      const Replay& replay = *known->replay;
      ranked.candidates = predict::rank_changes(
          replay, {.progress = [&](double part) { return progress(kShareOfList * part); }});
      const bool has_memory = !replay.run().program.memories.empty();
      if (has_memory &&
          !add_curve(
              replay, [&](double part) { return progress(kShareOfList + (1 - kShareOfList) * part); },
              answer))
        return std::nullopt;
      answer.names = names_by_time(replay);
    }
    if (!progress(1)) return std::nullopt;
    answer.ranked = std::make_shared<const RankedChanges>(std::move(ranked));
    if (!question.asked.recent) share_ranked_changes(answer.ranked);
    return answer;
  };
}

PredictionAnswer predict_by_hand(const PredictionQuestion& question, const std::atomic<bool>& cancelled) {
  PredictionAnswer answer{.changes = question.changes,
                          .problem = {},
                          .figures = {},
                          .timeline = nullptr,
                          .of_answer = question.of_answer,
                          .wanted = question.wanted};
  const Replay& replay = *question.known->replay;
  predict::Program program = replay.run().program;
  for (const predict::Change& change : question.changes) {
    if (const Status status = predict::apply(change, replay.trace(), program); !status) {
      answer.problem = status.error().message;
      return answer;
    }
  }
  const predict::Outcome outcome = simulate(program, {.keep_times = question.timeline});
  if (outcome.stuck) {
    answer.problem = "a wait never ends";
    return answer;
  }
  if (question.timeline) {
    answer.timeline = std::make_shared<const trace::Trace>(predict::predicted_trace(
        program, outcome, &question.known->trace, predict::joined(question.changes)));
    return answer;
  }
  if (!cancelled) answer.figures = predict::figures_of(replay, question.changes, program, outcome);
  return answer;
}

}  // namespace runahead::gui
