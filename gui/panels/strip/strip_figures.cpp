#include "gui/panels/strip/strip_figures.h"

#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// Returns an empty ratio if a value is zero, because such a ratio means nothing.
std::string ratio_text(double before, double after) {
  if (before <= 0 || after <= 0) return {};
  return format_change(after / before);
}

std::string rate_text(double per_s) { return format_count(per_s); }

StripFigure figure(Text name, double before, double after, std::string (*write)(double)) {
  return {name, write(before), write(after), ratio_text(before, after), {}};
}

// Returns the run-ahead in steps if the run has steps in flight, otherwise in ops.
StripFigure run_ahead_figure(const analysis::SegmentFigures& before, const analysis::SegmentFigures& after) {
  if (before.max_run_ahead_steps > 0 || after.max_run_ahead_steps > 0) {
    return figure(Text::kRunAheadSteps, before.max_run_ahead_steps, after.max_run_ahead_steps, format_count);
  }
  return figure(Text::kRunAheadOps, before.max_run_ahead_ops, after.max_run_ahead_ops, format_count);
}

}  // namespace

bool has_before(const analysis::BeforeAfter& figures) {
  return !figures.before.range.empty() && (figures.before.steps > 0 || figures.before.ops > 0);
}

std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on) {
  const bool compared = facts.before_after && has_before(*facts.before_after);
  if (phase == analysis::Phase::kSettled || (!compared && !goes_on)) return std::nullopt;
  if (!goes_on) return Text::kNotSettled;
  if (phase == analysis::Phase::kDraining) return Text::kDraining;
  return phase == analysis::Phase::kWarmingUp ? Text::kWarmingUp : Text::kSettling;
}

std::vector<StripFigure> strip_figures(const FigureFacts& facts) {
  const analysis::BeforeAfter& f = *facts.before_after;
  std::vector<StripFigure> out;
  out.push_back(figure(Text::kStepsPerSecond, f.before.steps_per_s, f.after.steps_per_s, rate_text));
  // The two rates are independent. The spread of their ratio is shown as the sum of their spreads.
  if (analysis::both_settled(facts.before, facts.after))
    out.back().spread = "\u00b1 " + format_percent(facts.before.spread + facts.after.spread);
  out.push_back(figure(Text::kBlocked, f.before.blocked_ratio, f.after.blocked_ratio, format_percent));
  out.back().ratio.clear();  // a ratio of two percentages would mislead
  out.push_back(figure(Text::kPeakMemory, f.before.peak_bytes, f.after.peak_bytes, format_bytes));
  out.push_back(run_ahead_figure(f.before, f.after));
  if (has_before(f)) return out;
  for (StripFigure& alone : out) alone.before = alone.ratio = alone.spread = "";
  return out;
}

}  // namespace runahead::gui
