#include "gui/panels/whatif/whatif_panel.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "gui/model/model.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using predict::Candidate;
using predict::Change;

std::string factor_text(float factor) {
  char words[32];
  std::snprintf(words, sizeof words, "%.2f", static_cast<double>(factor));
  return words;
}

nlohmann::json candidate_report(const Candidate& candidate) {
  return {{"change", predict::joined(candidate.changes)},
          {"steps_per_s", candidate.steps_per_s},
          {"gain", candidate.gain},
          {"peak_bytes", candidate.peak_bytes}};
}

}  // namespace

std::vector<Change> changes_of(const HandChange& hand) {
  std::vector<Change> out;
  if (hand.barrier) out.push_back({"barrier", to_string(BarrierPolicy{*hand.barrier, hand.window})});
  if (hand.frontend != 1) out.push_back({"frontend", factor_text(hand.frontend)});
  if (!hand.op.empty() && hand.op_factor != 1) out.push_back({"op:" + hand.op, factor_text(hand.op_factor)});
  if (hand.at_execution) out.push_back({"alloc", *hand.at_execution ? "execute" : "enqueue"});
  return out;
}

std::string whatif_summary(const WhatIfAnswer& answer) {
  const predict::Replay& replay = answer.replay();
  const predict::RunToReplay& run = replay.run();
  if (!answer.wanted.recent) return replay_summary(replay);
  const std::string measured = format_rate(run.measured.steps_per_s());
  const std::string replayed = format_rate(replay.replayed().steps_per_s());
  const std::string drift = format_percent(replay.drift());
  return filled(Text::kWhatIfRecent, {format_duration(run.range.duration()), to_string(*answer.wanted.recent),
                                      std::to_string(run.measured.steps), measured, replayed, drift});
}

TableRows whatif_rows(const WhatIfAnswer& answer) {
  TableRows rows{{text(Text::kWhatIfChange), "--change", std::string(text(Text::kStepsRate)) + " (1/s)",
                  std::string(text(Text::kWhatIfLow)) + " (1/s)",
                  std::string(text(Text::kWhatIfHigh)) + " (1/s)", text(Text::kWhatIfGain),
                  std::string(text(Text::kPeakMemory)) + " (B)"}};
  const bool has_memory = !answer.replay().run().program.memories.empty();
  for (const Candidate& candidate : answer.ranked->candidates) {
    rows.push_back({candidate_words(candidate), predict::joined(candidate.changes),
                    value_cell(candidate.steps_per_s), value_cell(candidate.interval.low),
                    value_cell(candidate.interval.high), value_cell(candidate.gain),
                    has_memory ? std::to_string(candidate.peak_bytes) : std::string()});
  }
  return rows;
}

std::optional<WhatIfWanted> WhatIfSource::wanted() const {
  if (!grows) return WhatIfWanted{};
  return barrier && steady ? std::optional(WhatIfWanted{barrier}) : std::nullopt;
}

// The forecasts of the barriers exist only if the rate was steady with this barrier.
WhatIfSource whatif_source(const PanelModel& model) {
  WhatIfSource out{.grows = model.grows()};
  if (!model.live()) return out;
  out.barrier = model.run->barrier;
  const ForecastFacts& forecasts = model.forecasts;
  out.steady = model.figures.after.phase == analysis::Phase::kSettled &&
               (!forecasts.barriers.empty() || !forecasts.why_none.empty());
  return out;
}

bool WhatIfPanel::poll(const PanelContext& context) {
  const auto wanted = shown() && !view.chooses ? view.source.wanted() : std::nullopt;
  bool changed = reporter_.poll(context.trace, context.serial, wanted, {});
  changed = take_prediction() || changed;
  ask_prediction();
  const double now = done();
  return std::exchange(told_, now) != now || changed;
}

bool WhatIfPanel::take_prediction() {
  std::optional<PredictionAnswer> taken = by_hand_.take();
  if (!taken || asked_of_ != traces_) return taken.has_value();
  if (taken->timeline != nullptr) {
    timeline_ = std::move(taken);
  } else {
    hand_ = std::move(taken);
  }
  return true;
}

// The newest question is asked as soon as the one before is answered.
void WhatIfPanel::ask_prediction() {
  const WhatIfAnswer* const all = answer();
  if (!shown() || all == nullptr || !all->trusted()) return;
  if (by_hand_.busy()) return;
  if (view.timeline_wanted) {
    by_hand_.ask({*std::exchange(view.timeline_wanted, std::nullopt), all->ranked->known, true, all->number,
                  all->wanted});
    asked_of_ = traces_;
    return;
  }
  std::vector<Change> changes = changes_of(view.hand);
  if (changes.empty() || (hand_ && hand_->changes == changes && hand_->of_answer == all->number)) return;
  by_hand_.ask({std::move(changes), all->ranked->known, false, all->number, all->wanted});
  asked_of_ = traces_;
}

void WhatIfPanel::trace_replaced() {
  reporter_.forget();
  by_hand_.cancel();
  ++traces_;
  hand_.reset();
  timeline_.reset();
  view = WhatIfView{};
}

std::optional<std::chrono::milliseconds> WhatIfPanel::more_after() const {
  const bool asks_soon = view.source.wanted() && answer() == nullptr && !reporter_.busy();
  return asks_soon || view.first_frame ? std::optional(std::chrono::milliseconds(50)) : std::nullopt;
}

const PredictionAnswer* WhatIfPanel::by_hand() const {
  const bool known = hand_ && answer() != nullptr && hand_->wanted == answer()->wanted;
  return known && hand_->changes == changes_of(view.hand) ? &*hand_ : nullptr;
}

std::optional<PredictionAnswer> WhatIfPanel::take_timeline() {
  return std::exchange(timeline_, std::nullopt);
}

void WhatIfPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  nlohmann::json& part = json["whatif"] = nullptr;
  if (!shown()) return;
  part = {{"answered", answer() != nullptr}, {"by_hand", nullptr}};
  if (answer() == nullptr) return;
  part["refusal"] = refusal_text(*answer());
  part["number"] = answer()->number;
  part["recent"] = answer()->wanted.recent ? nlohmann::json(to_string(*answer()->wanted.recent)) : nullptr;
  if (answer()->replayed()) part["steps"] = answer()->replay().run().measured.steps;
  nlohmann::json candidates = nlohmann::json::array();
  for (const Candidate& candidate : answer()->ranked->candidates)
    candidates.push_back(candidate_report(candidate));
  part["candidates"] = candidates;
  part["curve"] = answer()->curve.size();
  if (!answer()->curve.empty()) part["knee"] = answer()->curve[answer()->knee].window;
  if (by_hand() == nullptr) return;
  part["by_hand"] = candidate_report(by_hand()->figures);
  part["by_hand"]["problem"] = by_hand()->problem;
}

}  // namespace runahead::gui
