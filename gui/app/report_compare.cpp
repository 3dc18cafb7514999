#include <nlohmann/json.hpp>

#include "gui/app/report_panels.h"
#include "gui/timeline/facts.h"
#include "gui/timeline/lookup.h"

namespace runahead::gui {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostNames = 40;

Json figure_json(const analysis::FigurePair& figure) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"figure", analysis::figure_key(figure.kind)},
          {"device", figure.device},
          {"a", number(figure.a)},
          {"b", number(figure.b)},
          {"ratio", figure.ratio.known() ? Json(figure.ratio.value) : Json(nullptr)}};
}

Json lower_json(const CompareFacts& compare, const LayoutState& layout) {
  if (compare.b_trace == nullptr) return nullptr;
  const PlotRect& plot = layout.lower_plot;
  const TimelineState& state = *compare.b_timeline;
  Json json{{"view_ns", {ns_from(state.view.begin), ns_from(state.view.end)}},
            {"range_ns", range_json(state.range)},
            {"rows", rows_json(layout.lower, plot)},
            {"plot", {plot.x0_px, plot.y0_px, plot.x1_px, plot.y1_px}},
            {"selected", nullptr}};
  if (state.selected) {
    json["selected"] = {{"track", track_label(*compare.b_trace, state.selected->track)},
                        {"row", state.selected->row}};
    if (const auto slice = find_slice(*compare.b_trace, *state.selected))
      json["selected"]["name"] = compare.b_trace->string(slice->name);
  }
  return json;
}

}  // namespace

Json compare_json(const PanelModel& model, const LayoutState& layout) {
  if (!model.shows(Panel::kCompare)) return nullptr;
  const CompareFacts& compare = model.compare;
  static constexpr const char* kModes[]{"change", "ranges", "recording"};
  Json json{{"mode", kModes[static_cast<std::size_t>(compare.choice.mode)]},
            {"running", compare.running},
            {"other", compare.b_name},
            {"linked", compare.linked},
            {"answered", compare.answer != nullptr},
            {"lower", lower_json(compare, layout)}};
  for (const CompareSide side : {CompareSide::kA, CompareSide::kB}) {
    const ListedSlices& listed = compare.listed[static_cast<std::size_t>(side)];
    json[side == CompareSide::kA ? "listed_a" : "listed_b"] = {{"count", listed.count}, {"at", listed.at}};
  }
  json["name"] = layout.compare.name ? Json(layout.compare.name->first) : Json(nullptr);
  if (compare.answer == nullptr) return json;
  const CompareAnswer& answer = *compare.answer;
  json["answered_mode"] = kModes[static_cast<std::size_t>(answer.asked.mode)];
  json["problem"] = answer.problem != CompareAnswer::Problem::kNone;
  json["changes"] = answer.changes.size();
  json["a_range_ns"] = range_json(answer.comparison.a_range);
  json["b_range_ns"] = range_json(answer.comparison.b_range);
  json["figures"] = Json::array();
  for (const analysis::FigurePair& figure : answer.comparison.figures)
    json["figures"].push_back(figure_json(figure));
  json["names"] = Json::array();
  for (const std::size_t i : layout.compare.listed) {
    if (i >= answer.comparison.names.size() || json["names"].size() == kMostNames) break;
    const analysis::NamePair& name = answer.comparison.names[i];
    json["names"].push_back({{"name", name.name}, {"a", name.a.count}, {"b", name.b.count}});
  }
  return json;
}

}  // namespace runahead::gui
