// The explanation of a trace as lists: findings with their costs, the idle time of each device by cause, and
// the critical path by class (docs/causes.md). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/timeline/causes/cause_marks.h"
#include "instrumentation/causes/explanation.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::gui {

struct RankCauses {
  std::string name;  // "rank 2"; empty: the trace is that of one process
  // Without the gaps of its devices and the segments of its path: CausesAnswer::marks has them.
  causes::Explanation explanation;
};
struct ShownFinding {
  causes::Finding finding;
  std::string rank;       // RankCauses::name
  std::size_t steps = 0;  // of its rank
};
struct CausesAnswer {
  std::vector<RankCauses> ranks;  // at least one
  std::vector<ShownFinding>
      findings;  // of all ranks, and about ranks; highest cost first, rules of nsys last
  std::vector<std::string> rank_notes;  // sentences: what the traces of several ranks lack
  std::shared_ptr<const CauseMarks> marks;
  double cost_ms = 0;
  std::uint64_t number = 0;  // differs for each answer
};
// Explains the trace, rank by rank. `synchronisations`: those of `trace`. It reads the whole trace.
[[nodiscard]] CausesAnswer explain_trace(const trace::Trace& trace,
                                         const causes::Synchronisations& synchronisations);

// True for a finding by a rule of nsys. Such findings are listed last, since they name no cause.
[[nodiscard]] bool is_nsys_rule(const causes::Finding& finding);

// Returns the synchronisations that the finding is about; nullptr: it is about something else.
[[nodiscard]] const causes::SyncGroup* synchronisation_of(const causes::Explanation& explanation,
                                                          const causes::Finding& finding);

// Returns the cost of a finding for each step. nullopt: there are no steps, or the finding has no cost.
[[nodiscard]] std::optional<Duration> cost_per_step(const ShownFinding& shown);
// Returns the sentence in the language of the window; "rank 2: ..." if the trace has several ranks.
[[nodiscard]] std::string finding_text(const ShownFinding& shown);
// Returns a text such as "1.00 s explained, 12 steps of 80.1 ms (median)".
[[nodiscard]] std::string causes_summary(const CausesAnswer& answer, bool grows);
// Returns what the user should know besides: what the trace lacks, and gaps that are not marked.
[[nodiscard]] std::vector<std::string> causes_notes(const CausesAnswer& answer);

}  // namespace runahead::gui
