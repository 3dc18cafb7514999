#include "gui/core/forecasts_part.h"

#include <algorithm>
#include <utility>

#include "gui/answers/prediction_words.h"
#include "gui/background/known_replay.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/steady_state.h"

namespace runahead::gui {
namespace {

// Forecasts are made at most once a second, and use at most a twentieth of one core.
constexpr std::chrono::seconds kPeriod{1};
constexpr double kShare = 20;

}  // namespace

ForecastAnswer answer_forecast(const ForecastQuestion& question) {
  const auto begin = std::chrono::steady_clock::now();
  ForecastAnswer answer{.now = question.now};
  const Result<predict::Replay> replay =
      predict::Replay::of(question.snapshot, predict::recent_part(question.now));
  answer.why_none = why_no_prediction(replay);
  if (answer.why_none.empty()) {
    answer.barriers = predict::forecast(*replay, question.policies);
    answer.covers = replay->run().range.duration();
  }
  answer.cost_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

Forecasts::Forecasts(Screen& screen, Work work)
    : screen_(screen),
      asker_(
          [work = std::move(work)](const ForecastQuestion& question, const auto&) { return work(question); },
          screen.wake) {}

bool Forecasts::take_answer() {
  std::optional<ForecastAnswer> answer = asker_.take();
  if (!answer) return false;
  ++answers_;
  most_cost_ms_ = std::max(most_cost_ms_, answer->cost_ms);
  const auto pause = std::chrono::duration<double, std::milli>(answer->cost_ms * kShare);
  due_ = std::chrono::steady_clock::now() +
         std::max<std::chrono::steady_clock::duration>(
             kPeriod, std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause));
  // The barrier may have changed since the question.
  if (asked_serial_ != screen_.serial || barrier_ != answer->now) return false;
  answer_ = std::move(answer);
  return true;
}

// Returns true if the barrier has changed.
bool Forecasts::note_barrier(const BarrierPolicy& now) {
  if (barrier_ == now) return false;
  pressed_.reset();
  const predict::PolicyForecast* const forecast =
      answer_ ? predict::find_forecast(answer_->barriers, now) : nullptr;
  if (barrier_ && forecast != nullptr) pressed_ = {*forecast, *barrier_};
  answer_.reset();
  barrier_ = now;
  return true;
}

bool Forecasts::may_ask(const StripTracker::State* strip) const {
  if (asker_.busy() || screen_.stands_still() || std::chrono::steady_clock::now() < due_) return false;
  if (strip == nullptr || strip->late() || strip->after.phase != analysis::Phase::kSettled) return false;
  // The strip may not have seen the last change of the barrier yet.
  const std::string& label = strip->figures.change.label;
  if (!label.empty() && analysis::barrier_after(label) != to_string(*barrier_)) return false;
  return screen_.trace().version() != asked_version_;
}

bool Forecasts::poll(const StripTracker::State* strip, std::span<const BarrierPolicy> offered) {
  if (!screen_.session->live() || screen_.opened) {
    const bool ended = std::exchange(barrier_, std::nullopt).has_value();
    answer_.reset();
    return asker_.take().has_value() || ended;
  }
  bool changed = note_barrier(screen_.session->runner()->barrier());
  changed = take_answer() || changed;
  if (!may_ask(strip)) return changed;
  asked_serial_ = screen_.serial;
  asked_version_ = screen_.trace().version();
  asker_.ask({screen_.trace().snapshot(), {offered.begin(), offered.end()}, *barrier_});
  return changed;
}

void Forecasts::trace_replaced() {
  answer_.reset();
  pressed_.reset();
  barrier_.reset();
  asked_version_ = 0;
  answers_ = 0;
  most_cost_ms_ = 0;
}

ForecastFacts Forecasts::facts() const {
  ForecastFacts facts{.pressed = pressed_, .answers = answers_, .most_cost_ms = most_cost_ms_};
  if (!answer_) return facts;
  facts.cost_ms = answer_->cost_ms;
  facts.barriers = answer_->barriers;
  facts.why_none = answer_->why_none;
  facts.covers = answer_->covers;
  return facts;
}

}  // namespace runahead::gui
