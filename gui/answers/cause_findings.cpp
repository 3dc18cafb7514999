#include "gui/answers/cause_findings.h"

#include <algorithm>
#include <utility>

#include "gui/text/text.h"
#include "gui/timeline/causes/cause_names.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/rank_report.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::gui {
namespace {

// For each device. The timeline joins gaps that are too narrow, so a frame stays fast with so many.
constexpr std::size_t kMostMarkedGaps = 100'000;

void add_findings(const std::vector<causes::Finding>& findings, const std::string& rank, std::size_t steps,
                  CausesAnswer& out) {
  for (const causes::Finding& finding : findings) out.findings.push_back({finding, rank, steps});
}

// Moves the explanation of a part into the answer, and adds its marks.
void add_part(const causes::Execution& execution, RankCauses rank, CauseMarks& marks, CausesAnswer& answer) {
  add_cause_marks(execution, rank.explanation, rank.name, marks);
  add_findings(rank.explanation.findings, rank.name, rank.explanation.steps.count(), answer);
  for (causes::DeviceExplanation& device : rank.explanation.devices) device.report.gaps = {};
  rank.explanation.path.segments = {};
  answer.ranks.push_back(std::move(rank));
}

void add_ranks(const causes::Synchronisations& synchronisations, const causes::ExplainOptions& options,
               CauseMarks& marks, CausesAnswer& answer) {
  causes::RankReport report = causes::explain_ranks(synchronisations, options);
  add_collective_marks(report, marks);
  for (causes::RankExplanation& one : report.ranks) {
    add_part(synchronisations.part_of(one.rank.group)->execution,
             {one.rank.short_name(), std::move(one.explanation)}, marks, answer);
  }
  add_findings(report.findings, {}, 0, answer);
  answer.rank_notes = report.to_record;
}

// The change that a finding about these synchronisations names (causes/findings.h).
std::string change_that_drops(const causes::SyncGroup& group) {
  return "sync:" + (group.place.empty() ? group.call : group.call + "@" + group.place) + "=drop";
}

}  // namespace

CausesAnswer explain_trace(const trace::Trace& trace, const causes::Synchronisations& synchronisations) {
  constexpr causes::ExplainOptions kOptions{.most_gaps = kMostMarkedGaps};
  CausesAnswer answer;
  auto marks = std::make_shared<CauseMarks>();
  marks->trace = trace.identity();
  if (!trace::ranks_of(trace).empty()) {
    add_ranks(synchronisations, kOptions, *marks, answer);
  } else {
    const causes::Synchronisations::Part& part = synchronisations.parts().front();
    add_part(part.execution, {"", causes::explain(part.execution, part.all, kOptions)}, *marks, answer);
  }
  std::ranges::stable_sort(answer.findings, {}, [](const ShownFinding& shown) {
    return std::pair(is_nsys_rule(shown.finding), -shown.finding.cost.count());
  });
  answer.marks = std::move(marks);
  return answer;
}

bool is_nsys_rule(const causes::Finding& finding) { return finding.rule.starts_with("nsys_"); }

const causes::SyncGroup* synchronisation_of(const causes::Explanation& explanation,
                                            const causes::Finding& finding) {
  if (!finding.change.starts_with("sync:")) return nullptr;
  const auto found = std::ranges::find_if(explanation.synchronisations, [&](const causes::SyncGroup& group) {
    return change_that_drops(group) == finding.change;
  });
  return found == explanation.synchronisations.end() ? nullptr : &*found;
}

std::optional<Duration> cost_per_step(const ShownFinding& shown) {
  if (shown.steps < 2 || shown.finding.cost <= Duration{}) return std::nullopt;
  return shown.finding.cost / static_cast<std::int64_t>(shown.steps);
}

std::string finding_text(const ShownFinding& shown) {
  return with_rank(shown.rank, translated(shown.finding.sentence));
}

std::string causes_summary(const CausesAnswer& answer, bool grows) {
  const causes::Explanation& first = answer.ranks.front().explanation;
  const std::string range = format_duration(first.range.duration());
  const std::size_t steps = first.steps.count();
  std::string words = steps < 2
                          ? filled(steps == 0 ? Text::kCausesSummary : Text::kCausesSummaryOneStep, {range})
                          : filled(Text::kCausesSummarySteps,
                                   {range, std::to_string(steps), format_duration(first.steps.median())});
  if (answer.ranks.size() > 1) words = filled(Text::kCausesRanks, {std::to_string(answer.ranks.size())});
  return grows ? filled(Text::kCausesSoFar, {words}) : words;
}

std::vector<std::string> causes_notes(const CausesAnswer& answer) {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& note) {
    if (std::ranges::find(out, note) == out.end()) out.push_back(note);
  };
  for (const std::string& sentence : answer.rank_notes) add(translated(sentence));
  for (const RankCauses& rank : answer.ranks) {
    for (const std::string& sentence : rank.explanation.to_record) add(translated(sentence));
  }
  for (const IdleDevice& device : answer.marks->devices) {
    if (device.gaps.size() >= device.gap_count) continue;
    add(filled(Text::kCausesGapsOmitted,
               {device.name, std::to_string(device.gaps.size()), std::to_string(device.gap_count)}));
  }
  return out;
}

}  // namespace runahead::gui
