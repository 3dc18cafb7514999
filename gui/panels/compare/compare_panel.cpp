#include "gui/panels/compare/compare_panel.h"

#include <nlohmann/json.hpp>

#include "gui/model/model.h"

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

Json range_json(TimeRange range) { return {ns_from(range.begin), ns_from(range.end)}; }

}  // namespace

std::optional<Command> ComparePanel::toggled() const {
  return shown() ? Command{OpenComparison{}} : Command{CloseComparison{}};
}

void ComparePanel::add_to_report(Json& report, const PanelModel& model) const {
  Json& json = report["compare"] = nullptr;
  if (!shown()) return;
  const CompareFacts& compare = model.compare;
  static constexpr const char* kModes[]{"change", "ranges", "recording"};
  json = {{"mode", kModes[static_cast<std::size_t>(compare.choice.mode)]},
          {"running", compare.running},
          {"other", compare.b_name},
          {"linked", compare.linked},
          {"answered", compare.answer != nullptr}};
  for (const CompareSide side : {CompareSide::kA, CompareSide::kB}) {
    const ListedSlices& listed = compare.listed[static_cast<std::size_t>(side)];
    json[side == CompareSide::kA ? "listed_a" : "listed_b"] = {{"count", listed.count}, {"at", listed.at}};
  }
  json["name"] = view.name ? Json(view.name->first) : Json(nullptr);
  if (compare.answer == nullptr) return;
  const CompareAnswer& answer = *compare.answer;
  json["answered_mode"] = kModes[static_cast<std::size_t>(answer.asked.mode)];
  json["problem"] = answer.problem != CompareAnswer::Problem::kNone;
  json["changes"] = answer.changes.size();
  if (answer.asked.mode == CompareMode::kChange && answer.change) {
    json["a_settled"] = answer.changes[*answer.change].before_settled;
    json["b_settled"] = answer.changes[*answer.change].after_settled;
  }
  json["a_range_ns"] = range_json(answer.comparison.a_range);
  json["b_range_ns"] = range_json(answer.comparison.b_range);
  json["figures"] = Json::array();
  for (const analysis::FigurePair& figure : answer.comparison.figures)
    json["figures"].push_back(figure_json(figure));
  json["names"] = Json::array();
  for (const std::size_t i : view.listed) {
    if (i >= answer.comparison.names.size() || json["names"].size() == kMostNames) break;
    const analysis::NamePair& name = answer.comparison.names[i];
    json["names"].push_back({{"name", name.name}, {"a", name.a.count}, {"b", name.b.count}});
  }
}

}  // namespace runahead::gui
