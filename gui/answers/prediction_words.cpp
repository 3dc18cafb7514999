#include "gui/answers/prediction_words.h"

#include <algorithm>

#include "gui/text/text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using predict::Candidate;
using predict::CandidateKind;
using predict::Change;

// Below this share of the memory, percents do not say how much less it is.
constexpr double kFarLess = 0.1;

// What follows "op:" or "sync:" in a key.
std::string after_colon(const Change& change) {
  const std::size_t colon = change.key.find(':');
  return colon == change.key.npos ? change.key : change.key.substr(colon + 1);
}

}  // namespace

std::string why_no_prediction(const Result<predict::Replay>& replay) {
  if (!replay) return filled(Text::kNoPrediction, {translated(replay.error().message)});
  if (replay->replayed().stuck) return text(Text::kNoPredictionStuck);
  if (replay->trusted()) return {};
  return filled(Text::kNoPredictionDrift,
                {format_duration(replay->replayed().length), format_duration(replay->run().measured.length),
                 format_percent(predict::kMostDrift)});
}

std::string candidate_words(const Candidate& candidate) {
  const Change& change = candidate.changes.front();
  switch (candidate.kind) {
    case CandidateKind::kFasterOp:
      return filled(Text::kWhatIfFasterOp, {after_colon(change)});
    case CandidateKind::kDroppedSync:
      return filled(Text::kWhatIfDroppedSync, {after_colon(change)});
    case CandidateKind::kPinnedCopies:
      return text(Text::kWhatIfPinned);
    case CandidateKind::kFasterFrontend:
      return text(Text::kWhatIfFasterFrontend);
    case CandidateKind::kMoreWorkers:
      return filled(Text::kWhatIfWorkers, {change.value});
    case CandidateKind::kLaterAllocation:
      return text(Text::kWhatIfLaterAllocation);
    case CandidateKind::kOldestFirst:
      return text(Text::kWhatIfOldestFirst);
    case CandidateKind::kMoreStreams:
      return text(Text::kWhatIfStreams);
    case CandidateKind::kGraph:
      return text(Text::kWhatIfGraph);
    case CandidateKind::kLoadingAhead:
      return text(Text::kWhatIfLoading);
    case CandidateKind::kOtherBarrier:
      break;
  }
  return filled(Text::kWhatIfBarrier, {change.value});
}

std::string gain_words(double gain) { return (gain > 0 ? "+" : "") + format_percent(gain); }

std::string rate_words(const Candidate& candidate) {
  return filled(Text::kWhatIfInterval,
                {format_rate(candidate.steps_per_s), format_rate(candidate.interval.low),
                 format_rate(candidate.interval.high)});
}

std::string whatif_memory(const Candidate& candidate, bool has_memory) {
  if (!has_memory) return text(Text::kNoFigure);
  const double ratio = 1 + candidate.peak_change;
  const bool in_percent = ratio > kFarLess && ratio < 2;
  const std::string change = in_percent ? gain_words(candidate.peak_change) : format_change(ratio);
  return format_bytes(static_cast<double>(candidate.peak_bytes)) + " (" + change + ")";
}

std::optional<double> gain_without(const causes::Finding& finding, std::span<const Candidate> candidates) {
  if (finding.change.empty()) return std::nullopt;
  const auto found = std::ranges::find(candidates, finding.change, [](const Candidate& candidate) {
    return predict::joined(candidate.changes);
  });
  return found == candidates.end() ? std::nullopt : std::optional(found->gain);
}

std::string replay_summary(const predict::Replay& replay) {
  const predict::Measured& measured = replay.run().measured;
  return filled(
      Text::kWhatIfSummary,
      {format_rate(measured.steps_per_s()), format_rate(replay.replayed().steps_per_s()),
       format_percent(replay.drift()), std::to_string(measured.steps), format_duration(measured.steps_time)});
}

}  // namespace runahead::gui
