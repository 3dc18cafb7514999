#include "gui/panels/details/details_panel.h"

#include <nlohmann/json.hpp>

#include "gui/answers/wait_groups.h"
#include "gui/model/model.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/trace/labels.h"

namespace runahead::gui {

using Json = nlohmann::json;

std::optional<AreaAnswer> report_area(const AreaReporter::Question& question,
                                      const std::atomic<bool>& cancelled) {
  auto statistics = analysis::area_statistics(question.snapshot, question.asked, cancelled);
  if (!statistics) return std::nullopt;
  return AreaAnswer{.asked = question.asked, .statistics = *std::move(statistics)};
}

bool DetailsPanel::poll(const PanelContext& context) {
  std::optional<analysis::Area> wanted;
  if (shown() && context.timeline.area) wanted = context.timeline.area->content;
  const bool area = reporter_.poll(context.trace, context.serial, wanted, {});
  // a trace of our engine states what its waits waited for
  std::optional<SliceRef> call;
  if (shown() && !has_ops(context.trace)) call = context.timeline.selected;
  const bool cause = causes_.poll(context.trace, context.serial, call, {});
  const WaitCause* const found = call ? cause_of(*call) : nullptr;
  context.timeline.awaited.reset();
  if (found != nullptr && found->work)
    context.timeline.awaited = TimelineState::Awaited{*call, *found->work, found->inferred};
  const bool hovered = poll_hovered(context);
  return area || cause || hovered;
}

bool DetailsPanel::poll_hovered(const PanelContext& context) {
  TimelineState& timeline = context.timeline;
  std::optional<SliceRef> call;
  if (timeline.hovered && !has_ops(context.trace) && may_wait(context.trace, *timeline.hovered))
    call = timeline.hovered;
  const bool changed = hovered_.poll(context.trace, context.serial, call, {});
  const WaitCause* const cause = call ? hovered_.answer() : nullptr;
  timeline.hovered_wait.reset();
  if (cause != nullptr && cause->waited && cause->asked == *call)
    timeline.hovered_wait = TimelineState::HoveredWait{*call, cause_facts(context.trace, *cause)};
  return changed;
}

void DetailsPanel::add_to_report(Json& json, const PanelModel& model) const {
  Json& wait = json["wait_cause"] = nullptr;
  if (const WaitCause* const cause = model.timeline.selected ? cause_of(*model.timeline.selected) : nullptr) {
    const auto work = cause->work ? find_slice(model.trace, *cause->work) : std::nullopt;
    wait = {{"place", cause->place},
            {"work", work ? Json(model.trace.string(work->name)) : Json()},
            {"waited_for", awaited_name(model.trace, *cause)},
            {"inferred", cause->inferred},
            {"idle_after_ns", ns_from(cause->idle_after)}};
  }
  Json& part = json["area"] = nullptr;
  if (!model.timeline.area) return;
  const analysis::Area& wanted = model.timeline.area->content;
  part = {{"range_ns", {ns_from(wanted.range.begin), ns_from(wanted.range.end)}},
          {"lanes", wanted.lanes.size()},
          {"answered", area() != nullptr && area()->asked == wanted}};
  if (area() == nullptr || area()->asked != wanted) return;
  const analysis::AreaStatistics& statistics = area()->statistics;
  Json names = Json::array(), counters = Json::array();
  for (const analysis::AreaName& name : statistics.names) {
    names.push_back({{"name", name.name},
                     {"kind", trace::slice_kind_key(name.kind)},
                     {"count", name.count},
                     {"total_ns", name.total.count()}});
  }
  for (const analysis::AreaCounter& counter : statistics.counters) {
    Json of{{"name", track_label(model.trace, counter.counter)}, {"mean", nullptr}};
    if (counter.values)
      of.update({{"min", counter.values->min}, {"mean", counter.values->mean}, {"max", counter.values->max}});
    counters.push_back(of);
  }
  part["tracks"] = statistics.tracks;
  part["count"] = statistics.count;
  part["names"] = names;
  part["counters"] = counters;
}

}  // namespace runahead::gui
