#include "gui/answers/figure_facts.h"

#include <algorithm>

#include "instrumentation/base/exact_number.h"

namespace runahead::gui {
namespace {

// Returns a number of the trace's metadata; 0 if the metadata does not have it.
double number_fact(const trace::Trace& trace, const char* key) {
  const auto found = trace.metadata().find(key);
  const std::optional<double> number =
      found == trace.metadata().end() ? std::nullopt : number_from(found->second);
  return number.value_or(0);
}

}  // namespace

bool is_run(const trace::Trace& trace) {
  return trace.metadata().contains("workload") ||
         std::ranges::any_of(analysis::barrier_changes(trace), analysis::is_start);
}

bool compares_changes(const trace::Trace& trace) {
  return is_run(trace) || !analysis::barrier_changes(trace).empty();
}

void set_strip(const StripTracker::State& strip, const trace::Trace& trace, FigureFacts& facts) {
  facts.before_after = strip.figures;
  facts.before = strip.before;
  facts.after = strip.after;
  facts.late = strip.late();
  facts.limit_ops = number_fact(trace, "engine.limit_ops");
  facts.limit_bytes = number_fact(trace, "engine.limit_bytes");
  facts.part = strip.part;
  facts.names_part = !facts.part.empty() && (strip.chosen || strip.several_parts);
}

}  // namespace runahead::gui
