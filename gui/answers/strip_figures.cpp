#include "gui/answers/strip_figures.h"

#include <algorithm>
#include <cmath>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// Returns the ratio after / before as text. Empty if one of the two values is zero, because the ratio would
// then be meaningless.
std::string ratio_text(double before, double after) {
  if (before <= 0 || after <= 0) return {};
  return format_change(after / before);
}

std::string rate_text(double per_s) { return format_count(per_s); }

std::string no_rate_text(double) { return "\u2013"; }

StripFigure figure(Text name, double before, double after, std::string (*write)(double)) {
  return {name, write(before), write(after), ratio_text(before, after), {}};
}

StripFigure alone(Text name, std::string value, std::string subject = {}) {
  return {name, {}, std::move(value), {}, {}, std::move(subject)};
}

// Returns the run-ahead in steps if the run has steps in flight; otherwise returns it in ops.
StripFigure run_ahead_figure(const analysis::SegmentFigures& before, const analysis::SegmentFigures& after) {
  if (before.max_run_ahead_steps > 0 || after.max_run_ahead_steps > 0) {
    return figure(Text::kRunAheadSteps, before.max_run_ahead_steps, after.max_run_ahead_steps, format_count);
  }
  return figure(Text::kRunAheadOps, before.max_run_ahead_ops, after.max_run_ahead_ops, format_count);
}

// Returns the note for a share `held` of the time that the safety limit caused, out of the share `blocked`.
// Empty if the shown share would be 0.
std::string limit_note(double held, double blocked) {
  const std::string share = format_percent(held);
  if (share == format_percent(0)) return {};
  return share == format_percent(blocked) ? text(Text::kByLimit) : filled(Text::kShareByLimit, {share});
}

// Says at the figure "Frontend blocked" how much of it the safety limit caused. A reader would otherwise take
// all of it for the barrier's effect.
void add_limit(const FigureFacts& facts, StripFigure& blocked) {
  const analysis::SegmentFigures &before = facts.before_after->before, &after = facts.before_after->after;
  const std::string note_before = limit_note(before.held_by_limit_ratio, before.blocked_ratio);
  blocked.note = limit_note(after.held_by_limit_ratio, after.blocked_ratio);
  if (blocked.note.empty() && note_before.empty()) return;
  if (blocked.note.empty()) blocked.note = filled(Text::kBeforeByLimit, {note_before});
  const std::string held = format_percent(after.held_by_limit_ratio);
  blocked.hint = has_before(*facts.before_after)
                     ? filled(Text::kLimitHintBeforeAfter, {format_percent(before.held_by_limit_ratio), held})
                     : filled(Text::kLimitHint, {held});
  const auto is_limit = [](double number) { return std::isfinite(number) && number > 0; };
  if (!is_limit(facts.limit_ops) || !is_limit(facts.limit_bytes)) return;
  blocked.hint +=
      "\n" + filled(Text::kLimitIs, {format_count(facts.limit_ops), format_bytes(facts.limit_bytes)});
}

// Returns the name of a device, with a mark if the device is simulated.
std::string device_name(const analysis::DeviceBusy& device) {
  const std::string name = translated(device.device);  // such as "Workers"
  return device.simulated ? name + " " + text(Text::kSimulatedMark) : name;
}

std::string share_of(const analysis::TraceSummary& summary, Duration part) {
  if (summary.length <= Duration{}) return format_percent(0);
  return format_percent(static_cast<double>(part.count()) / static_cast<double>(summary.length.count()));
}

void add_devices(const analysis::TraceSummary& summary, std::vector<StripFigure>& out) {
  if (summary.devices.empty()) return;
  constexpr std::size_t kMostApart = 2;
  if (summary.devices.size() <= kMostApart) {
    for (const analysis::DeviceBusy& device : summary.devices)
      out.push_back(alone(Text::kDeviceBusy, share_of(summary, device.busy), device_name(device)));
    return;
  }
  const auto [least, most] = std::ranges::minmax_element(summary.devices, {}, &analysis::DeviceBusy::busy);
  const std::string from = share_of(summary, least->busy), to = share_of(summary, most->busy);
  out.push_back(
      alone(Text::kDeviceBusy, from == to ? from : from + " \u2013 " + to,
            filled(Text::kDevicesCount, {format_count(static_cast<double>(summary.devices.size()))})));
}

// The texts for a change: `less` and `more` contain a percentage ("34 % slower"), `times_less` and
// `times_more` contain a factor, and `same` is for no change.
struct ChangeWords {
  Text less, times_less, more, times_more, same;
};
constexpr ChangeWords kSpeedWords{Text::kAnswerSlower, Text::kAnswerTimesSlower, Text::kAnswerFaster,
                                  Text::kAnswerTimesFaster, Text::kAnswerSameSpeed};
constexpr ChangeWords kMemoryWords{Text::kAnswerLessMemory, Text::kAnswerTimesLessMemory,
                                   Text::kAnswerMoreMemory, Text::kAnswerTimesMoreMemory,
                                   Text::kAnswerSameMemory};

// Returns the change from `before` to `after` as text. If after / before is between 0.1 and 2, the text
// contains a percentage; otherwise it contains a factor. If the ratio differs from 1 by at most `noise` (0.03
// is 3 %), the text says that there is no change.
std::string change_in_words(const ChangeWords& words, double before, double after, double noise) {
  const double ratio = after / before;
  if (std::abs(ratio - 1) <= noise) return text(words.same);
  if (ratio < 0.1) return filled(words.times_less, {format_count(1 / ratio)});
  if (ratio < 1) return filled(words.less, {format_percent(1 - ratio)});
  if (ratio < 2) return filled(words.more, {format_percent(ratio - 1)});
  return filled(words.times_more, {format_count(ratio)});
}

// The minimum of `noise` in change_in_words(): the figures of real runs are never exact enough to show a
// smaller change.
constexpr double kLeastNoise = 0.03;

// Returns an answer that compares the values `before` and `after`. `write` formats a value. `alone` is the
// text to use if one of the two values is 0, so that they cannot be compared.
StripAnswer answer(Text name, const ChangeWords& words, Text alone, double before, double after,
                   std::string (*write)(double), double noise) {
  StripAnswer out{.name = name, .words = filled(alone, {write(after)})};
  if (before <= 0 || after <= 0) return out;
  out.words = change_in_words(words, before, after, std::max(noise, kLeastNoise));
  out.before = before;
  out.after = after;
  out.before_text = write(before);
  out.after_text = write(after);
  return out;
}

}  // namespace

std::vector<StripAnswer> strip_answers(const FigureFacts& facts, bool goes_on) {
  const analysis::BeforeAfter& f = *facts.before_after;
  // While the backlog of the previous barrier drains, the figures do not show the new barrier yet.
  const bool compared = has_before(f) && facts.after.phase != analysis::Phase::kDraining;
  const bool settled = analysis::both_settled(facts.before, facts.after);
  const double spread = settled ? facts.before.spread + facts.after.spread : 0;
  const std::optional<Text> why = doubt(facts, goes_on);
  std::vector<StripAnswer> out;
  if (f.before.steps_per_s > 0 || f.after.steps_per_s > 0) {
    out.push_back(answer(Text::kStepsPerSecond, kSpeedWords, Text::kAnswerSpeed,
                         compared ? f.before.steps_per_s : 0, f.after.steps_per_s, rate_text, spread));
    if (compared && settled) out.back().note = "\u00b1 " + format_percent(spread);
  }
  if (f.before.peak_bytes > 0 || f.after.peak_bytes > 0) {
    out.push_back(answer(Text::kPeakMemory, kMemoryWords, Text::kAnswerMemory,
                         compared ? f.before.peak_bytes : 0, f.after.peak_bytes, format_bytes, 0));
  }
  for (StripAnswer& line : out) line.final = !why.has_value();
  if (why && !out.empty()) out.front().note = text(*why);
  return out;
}

void add_predictions(const FigureFacts& facts, const std::optional<PressedForecast>& pressed,
                     std::vector<StripAnswer>& answers) {
  if (!pressed ||
      analysis::barrier_after(facts.before_after->change.label) != to_string(pressed->forecast.policy))
    return;
  const predict::PolicyForecast& forecast = pressed->forecast;
  for (StripAnswer& answer : answers) {
    const bool memory = answer.name == Text::kPeakMemory;
    answer.predicted = memory ? static_cast<double>(forecast.peak_bytes) : forecast.steps_per_s;
    if (answer.predicted <= 0) continue;
    const auto write = memory ? format_bytes : rate_text;
    const std::string value = write(answer.predicted);
    answer.predicted_hint =
        memory ? filled(Text::kPredictedHintAlone, {value})
               : filled(Text::kPredictedHint, {value, write(forecast.low), write(forecast.high)});
    const bool compared = answer.final && answer.after > 0;
    answer.prediction = compared
                            ? filled(Text::kPredictedOff,
                                     {value, format_percent(std::abs(answer.predicted / answer.after - 1))})
                            : filled(Text::kPredictedOnly, {value});
  }
}

std::string speed_change(double before, double after, double noise) {
  return change_in_words(kSpeedWords, before, after, std::max(noise, kLeastNoise));
}

std::string memory_change(double before, double after) {
  return change_in_words(kMemoryWords, before, after, kLeastNoise);
}

std::string name_of(const StripFigure& figure) {
  return figure.subject.empty() ? text(figure.name)
                                : filled(Text::kHintWhole, {text(figure.name), figure.subject});
}

namespace {

// A profiler that stops in the middle of a step records a short last step. The median of two steps would
// often be this part of a step. Therefore up to two steps are shown by their lengths.
StripFigure step_figure(const analysis::TraceSummary& summary) {
  if (summary.steps > 2) return alone(Text::kMedianStep, format_duration(summary.median_step));
  std::string lengths = format_duration(summary.shortest_step);
  if (summary.steps == 2) lengths += " \u2013 " + format_duration(summary.longest_step);
  return alone(Text::kEachStep, std::move(lengths));
}

}  // namespace

std::vector<StripFigure> summary_figures(const analysis::TraceSummary& summary) {
  std::vector<StripFigure> out{alone(Text::kDuration, format_duration(summary.length))};
  if (summary.steps > 0) {
    out.push_back(alone(Text::kSteps, format_count(static_cast<double>(summary.steps))));
    out.push_back(step_figure(summary));
  }
  add_devices(summary, out);
  if (summary.blocked)
    out.push_back(
        alone(Text::kRecordedWaits, share_of(summary, summary.blocked->blocked), summary.blocked->thread));
  if (summary.peak)
    out.push_back(alone(Text::kPeakMemory, format_bytes(summary.peak->bytes), summary.peak->counter));
  return out;
}

bool has_before(const analysis::BeforeAfter& figures) {
  return !figures.before.range.empty() && (figures.before.steps > 0 || figures.before.ops > 0);
}

std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on) {
  const bool compared = facts.before_after && has_before(*facts.before_after);
  if (phase == analysis::Phase::kSettled || (!compared && !goes_on)) return std::nullopt;
  if (!goes_on) return Text::kNotSettled;
  return phase_text(phase);
}

std::optional<Text> doubt(const FigureFacts& facts, bool goes_on) {
  const bool compared = has_before(*facts.before_after);
  analysis::Steadiness after = facts.after;
  // If nothing is compared and the run adds no more data, it does not matter whether the rate is steady.
  if (!compared && !goes_on) after.phase = analysis::Phase::kSettled;
  switch (analysis::doubt_about(compared ? facts.before : after, after, facts.late)) {
    case analysis::Doubt::kNone:
      return std::nullopt;
    case analysis::Doubt::kLate:
      return Text::kHostTooSlow;
    case analysis::Doubt::kUnsettled:
      break;
  }
  const std::optional<Text> why = phase_word(facts, after.phase, goes_on);
  return why ? why : phase_word(facts, facts.before.phase, false);
}

namespace {

// Which figures the trace has. The engine records all of them, so a 0 is true. Another program may have no
// steps, no waits, no counter of memory or none of its run-ahead; then a 0 would not be true.
struct Recorded {
  explicit Recorded(const FigureFacts& facts) {
    const analysis::SegmentFigures &a = facts.before_after->before, &b = facts.before_after->after;
    const bool all = facts.names_part || facts.limit_ops > 0 || facts.limit_bytes > 0 || a.ops + b.ops > 0;
    steps = all || a.steps_per_s > 0 || b.steps_per_s > 0;
    waits = all || a.blocked_ratio > 0 || b.blocked_ratio > 0;
    memory = all || a.peak_bytes > 0 || b.peak_bytes > 0;
    run_ahead = all || a.max_run_ahead_steps > 0 || b.max_run_ahead_steps > 0 || a.max_run_ahead_ops > 0 ||
                b.max_run_ahead_ops > 0;
  }
  bool steps, waits, memory, run_ahead;
};

StripFigure steps_figure(const FigureFacts& facts) {
  const analysis::BeforeAfter& f = *facts.before_after;
  // A part of the run without steps has no rate, so a rate of 0 would be wrong.
  StripFigure out = figure(Text::kStepsPerSecond, f.before.steps_per_s, f.after.steps_per_s,
                           facts.names_part && f.after.steps == 0 ? no_rate_text : rate_text);
  // The ratio of two rates is uncertain because each rate is uncertain. Therefore the ratio's spread is the
  // sum of the spreads of the two rates.
  if (analysis::both_settled(facts.before, facts.after))
    out.spread = "\u00b1 " + format_percent(facts.before.spread + facts.after.spread);
  return out;
}

StripFigure blocked_figure(const FigureFacts& facts) {
  const analysis::BeforeAfter& f = *facts.before_after;
  StripFigure out = figure(Text::kBlocked, f.before.blocked_ratio, f.after.blocked_ratio, format_percent);
  out.ratio.clear();  // shows no ratio, because a ratio of two percentages would mislead
  add_limit(facts, out);
  return out;
}

}  // namespace

std::vector<StripFigure> strip_figures(const FigureFacts& facts) {
  const analysis::BeforeAfter& f = *facts.before_after;
  const Recorded recorded(facts);
  std::vector<StripFigure> out;
  if (recorded.steps) out.push_back(steps_figure(facts));
  if (recorded.waits) out.push_back(blocked_figure(facts));
  if (recorded.memory) {
    out.push_back(figure(Text::kPeakMemory, f.before.peak_bytes, f.after.peak_bytes, format_bytes));
    out.back().subject = text(Text::kAllDevices);
  }
  if (recorded.run_ahead) out.push_back(run_ahead_figure(f.before, f.after));
  if (has_before(f)) return out;
  for (StripFigure& alone : out) alone.before = alone.ratio = alone.spread = "";
  return out;
}

std::string strip_title(const FigureFacts& facts) {
  const std::string& label = facts.before_after->change.label;
  const std::string change = label.empty() ? text(Text::kStripNoChange) : translated(label);
  if (!facts.names_part) return change;
  const std::string part = filled(Text::kPartOfRun, {translated(facts.part)});
  return label.empty() ? part : part + " \u00b7 " + change;
}

}  // namespace runahead::gui
