#include "gui/panels/causes/causes_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gui/answers/evidence.h"
#include "gui/answers/prediction_words.h"
#include "gui/answers/wait_groups.h"
#include "gui/background/known_causes.h"
#include "gui/model/model.h"
#include "gui/timeline/causes/cause_names.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::json;

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
    return std::optional(explain_trace(now->trace, now->synchronisations));
  };
}

Commands show_evidence(const trace::Trace& trace, const TimelineState& timeline, const CauseMarks& marks,
                       const causes::Finding& finding) {
  TimelineCommands shown;
  show_evidence(trace, timeline, marks, {finding.track, finding.range}, shown);
  return {shown.begin(), shown.end()};
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
  return ranked_ == nullptr ? std::nullopt : gain_without(finding, ranked_->candidates);
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
