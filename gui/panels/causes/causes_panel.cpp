#include "gui/panels/causes/causes_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gui/background/known_causes.h"
#include "gui/model/model.h"
#include "gui/timeline/arrange.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/lookup.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/rank_report.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::json;

// For each device. The timeline joins gaps that are too narrow, so a frame stays fast with so many.
constexpr std::size_t kMostMarkedGaps = 100'000;

// The gap with exactly this range, of the device that has the stream `track`.
std::optional<IdleRef> idle_with_range(const CauseMarks& marks, TrackId track, TimeRange range) {
  for (std::uint32_t i = 0; i < marks.devices.size(); ++i) {
    if (std::ranges::find(marks.devices[i].tracks, track) == marks.devices[i].tracks.end()) continue;
    const auto found = find_idle(marks, {i, range.begin});
    if (found && found->gap.range == range) return IdleRef{i, range.begin};
  }
  return std::nullopt;
}

// The last stream of the device that was idle for the longest time; of a device that is not the host, if
// there is one. nullopt: no device was idle.
std::optional<TrackId> most_idle_track(const CauseMarks& marks) {
  std::optional<TrackId> track;
  std::pair<bool, Duration> most{};
  for (const IdleDevice& device : marks.devices) {
    Duration idle{};
    for (const IdleMark& gap : device.gaps) idle += gap.range.duration();
    if (device.tracks.empty() || idle == Duration{} || (track && std::pair(!device.host, idle) <= most))
      continue;
    most = {!device.host, idle};
    track = device.tracks.back();
  }
  return track;
}

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

void add_ranks(const KnownCauses& known, const causes::ExplainOptions& options, CauseMarks& marks,
               CausesAnswer& answer) {
  causes::RankReport report = causes::explain_ranks(known.synchronisations, options);
  add_collective_marks(report, marks);
  for (causes::RankExplanation& one : report.ranks) {
    add_part(known.synchronisations.part_of(one.rank.group)->execution,
             {one.rank.short_name(), std::move(one.explanation)}, marks, answer);
  }
  add_findings(report.findings, {}, 0, answer);
  answer.rank_notes = report.to_record;
}

CausesAnswer explain_parts(const KnownCauses& known) {
  constexpr causes::ExplainOptions kOptions{.most_gaps = kMostMarkedGaps};
  CausesAnswer answer;
  auto marks = std::make_shared<CauseMarks>();
  marks->trace = known.trace.identity();
  if (!trace::ranks_of(known.trace).empty()) {
    add_ranks(known, kOptions, *marks, answer);
  } else {
    const causes::Synchronisations::Part& part = known.synchronisations.parts().front();
    add_part(part.execution, {"", causes::explain(part.execution, part.all, kOptions)}, *marks, answer);
  }
  std::ranges::stable_sort(answer.findings, {}, [](const ShownFinding& shown) {
    return std::pair(is_nsys_rule(shown.finding), -shown.finding.cost.count());
  });
  answer.marks = std::move(marks);
  return answer;
}

Json gain_report(const std::optional<double>& gain) { return gain ? Json(*gain) : Json(); }

Json explained_range_json(TimeRange range) { return {ns_from(range.begin), ns_from(range.end)}; }

Json explained_device_json(const causes::DeviceExplanation& device) {
  Json idle = Json::object();
  for (const CausePart<causes::IdleCause>& part : idle_parts(device.report.idle))
    idle[std::string(causes::key_of(part.kind))] = ns_from(part.time);
  return {{"name", device.name},
          {"simulated", device.simulated},
          {"busy_ns", ns_from(device.report.busy)},
          {"idle", idle},
          {"gaps", device.report.gap_count}};
}

}  // namespace

CausesReporter::Work make_explainer() {
  return [known = std::shared_ptr<const KnownCauses>()](const CausesReporter::Question& question,
                                                        const std::atomic<bool>&) mutable {
    const std::shared_ptr<const KnownCauses> now = known_causes(question.snapshot);
    // A run of ours goes on: its old graphs are of no use.
    known = has_ops(question.snapshot) ? nullptr : now;
    return std::optional(explain_parts(*now));
  };
}

Commands show_evidence(const trace::Trace& trace, const TimelineState& timeline, const CauseMarks& marks,
                       const causes::Finding& finding) {
  Commands out;
  if (finding.range.empty()) return out;
  const bool has_track = raw(finding.track) < trace.tracks().size();
  const Duration room = finding.range.duration() / 2 + std::chrono::microseconds(5);
  // not before the trace, which has negative times there
  const Timestamp from =
      std::max(finding.range.begin - room, std::min(finding.range.begin, trace.extent().begin));
  out.push_back(TimelineCommand{GlideTo{{from, finding.range.end + room}}});
  if (has_track) {
    const auto whole = [&](const trace::Slice& slice) { return slice.end == finding.range.end; };
    if (const auto slice = slice_beginning_at(trace, finding.track, finding.range.begin, whole)) {
      out.push_back(TimelineCommand{ShowSlice{*slice}});
      return out;
    }
    if (!is_shown(trace, timeline, finding.track)) out.push_back(TimelineCommand{ShowTrack{finding.track}});
    out.push_back(TimelineCommand{RevealTrack{finding.track}});
    if (const auto idle = idle_with_range(marks, finding.track, finding.range)) {
      out.push_back(TimelineCommand{SelectIdle{*idle}});
      return out;
    }
  }
  out.push_back(TimelineCommand{SetRange{finding.range}});
  return out;
}

bool is_nsys_rule(const causes::Finding& finding) { return finding.rule.starts_with("nsys_"); }

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

TableRows causes_rows(const CausesAnswer& answer) {
  TableRows rows{{text(Text::kCausesRule), text(Text::kCausesFinding), ns_header(Text::kCausesCost),
                  ns_header(Text::kCausesCostPerStep), text(Text::kCausesHelp)}};
  for (const ShownFinding& shown : answer.findings) {
    const auto per_step = cost_per_step(shown);
    rows.push_back({shown.finding.rule, finding_text(shown), ns_cell(shown.finding.cost),
                    per_step ? ns_cell(*per_step) : std::string(), translated(shown.finding.help)});
  }
  return rows;
}

bool CausesPanel::poll(const PanelContext& context) {
  if (was_shown_ != shown()) {
    view.marks = shown();
    revealed_ = 0;
  }
  was_shown_ = shown();
  const auto wanted = shown() || view.marks ? std::optional(CausesWanted{}) : std::nullopt;
  bool changed = reporter_.poll(context.trace, context.serial, wanted, {});
  const auto ranked = shown() ? ranked_changes(context.trace) : nullptr;
  changed = std::exchange(ranked_, ranked) != ranked || changed;
  mark(context.timeline);
  reveal(context);
  return changed;
}

std::optional<double> CausesPanel::predicted_gain(const causes::Finding& finding) const {
  if (ranked_ == nullptr || finding.change.empty()) return std::nullopt;
  const auto found = std::ranges::find(
      ranked_->candidates, finding.change,
      [](const predict::Candidate& candidate) { return predict::joined(candidate.changes); });
  return found == ranked_->candidates.end() ? std::nullopt : std::optional(found->gain);
}

void CausesPanel::reveal(const PanelContext& context) {
  const CauseMarks* const marks = shown() && view.idle ? context.timeline.causes.get() : nullptr;
  if (marks == nullptr || std::exchange(revealed_, context.serial + 1) == context.serial + 1) return;
  if (const std::optional<TrackId> track = most_idle_track(*marks)) context.timeline.to_reveal = track;
}

void CausesPanel::toggle_marks() {
  const bool any = view.marks && (view.idle || view.path);
  view.marks = !any;
  if (!any && !view.idle && !view.path) view.idle = view.path = true;
}

void CausesPanel::mark(TimelineState& timeline) const {
  timeline.causes = view.marks && answer() != nullptr ? answer()->marks : nullptr;
  timeline.shows_idle = view.idle;
  timeline.shows_path = view.path;
  if (timeline.causes == nullptr || !view.idle) timeline.selected_idle.reset();
}

void CausesPanel::add_to_report(Json& json, const PanelModel& model) const {
  Json& marks = json["cause_marks"] = nullptr;
  if (model.timeline.causes != nullptr) marks = {{"idle", view.idle}, {"path", view.path}};
  Json& selected = json["selected_idle"] = nullptr;
  if (model.timeline.causes != nullptr && model.timeline.selected_idle) {
    const auto idle = find_idle(*model.timeline.causes, *model.timeline.selected_idle);
    if (idle)
      selected = {{"device", idle->device.name},
                  {"range_ns", explained_range_json(idle->gap.range)},
                  {"cause", causes::key_of(idle->gap.cause)}};
  }
  Json& part = json["causes"] = nullptr;
  if (!shown()) return;
  part = {{"answered", answer() != nullptr}};
  if (answer() == nullptr) return;
  Json findings = Json::array(), devices = Json::array(), path = Json::object();
  for (const ShownFinding& shown : answer()->findings) {
    findings.push_back({{"rule", shown.finding.rule},
                        {"rank", shown.rank},
                        {"sentence", shown.finding.sentence},
                        {"cost_ns", ns_from(shown.finding.cost)},
                        {"predicted_gain", gain_report(predicted_gain(shown.finding))},
                        {"range_ns", explained_range_json(shown.finding.range)}});
  }
  for (const RankCauses& rank : answer()->ranks) {
    for (const causes::DeviceExplanation& device : rank.explanation.devices)
      devices.push_back(explained_device_json(device));
  }
  const causes::Explanation& first = answer()->ranks.front().explanation;
  for (const CausePart<causes::PathClass>& of : path_parts(first.path))
    path[std::string(causes::key_of(of.kind))] = ns_from(of.time);
  part["range_ns"] = explained_range_json(first.range);
  part["steps"] = first.steps.count();
  part["ranks"] = answer()->ranks.size();
  part["findings"] = findings;
  part["devices"] = devices;
  part["critical_path"] = path;
  part["notes"] = causes_notes(*answer());
}

}  // namespace runahead::gui
