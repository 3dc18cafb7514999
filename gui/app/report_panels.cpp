#include "gui/app/report_panels.h"

#include <nlohmann/json.hpp>

#include "gui/panels/lesson/lesson_words.h"
#include "gui/timeline/facts.h"
#include "gui/timeline/wait_facts.h"

namespace runahead::gui {

using Json = nlohmann::json;

Json range_json(const std::optional<TimeRange>& range) {
  if (!range) return nullptr;
  return {ns_from(range->begin), ns_from(range->end)};
}

Json graph_json(const PanelModel& model, const GraphView& view) {
  if (!model.shows(Panel::kGraph)) return nullptr;
  Json nodes = Json::array();
  for (const GraphBox& box : view.scene.boxes) {
    const analysis::OpGraphNode& node = view.graph.nodes[box.node];
    if (raw(node.op.name) >= model.trace.string_count()) continue;  // drawn of the trace before this one
    nodes.push_back({{"op", op_number(node.op.id)},
                     {"name", model.trace.string(node.op.name)},
                     {"state", state_name(node.state)},
                     {"critical", node.critical},
                     {"selected", box.selected}});
  }
  return {{"mode", model.graph_mode == GraphMode::kStep ? "step" : "in flight"},
          {"ops", view.graph.op_count},
          {"edges", view.graph.edges.size()},
          {"nodes", nodes},
          {"column_px", view.camera.column_px},
          {"layer_px", view.camera.layer_px},
          {"fitted", view.fitted}};
}

Json find_json(const PanelModel& model) {
  if (!model.shows(Panel::kFind)) return nullptr;
  Json json{{"running", model.find.running}, {"answered", model.find.answer != nullptr}};
  if (model.find.answer == nullptr) return json;
  const FindAnswer& answer = *model.find.answer;
  json["words"] = answer.asked.words;
  json["error"] = answer.error;
  json["count"] = answer.histogram.count;
  json["listed"] = answer.found.slices.size();
  json["names"] = answer.names.size();
  json["bins"] = answer.histogram.bins.size();
  return json;
}

Json query_json(const PanelModel& model) {
  if (!model.shows(Panel::kQuery)) return nullptr;
  Json json{{"running", model.query.running}, {"answered", model.query.answer != nullptr}};
  if (model.query.answer == nullptr) return json;
  const QueryAnswer& answer = *model.query.answer;
  json["error"] = answer.error;
  json["columns"] = answer.columns;
  json["rows"] = answer.rows.size();
  if (!answer.rows.empty()) json["first"] = answer.rows.front().cells;
  return json;
}

Json waits_json(const PanelModel& model) {
  if (!model.shows(Panel::kWaits)) return nullptr;
  Json groups = Json::array();
  if (model.waits.answer == nullptr) return {{"groups", groups}};
  for (const analysis::WaitGroup& group : model.waits.answer->groups) {
    groups.push_back({{"wait", group.wait},
                      {"op", group.op},
                      {"cause", wait_part_name(group.cause)},
                      {"count", group.count},
                      {"total_ns", group.split.total().count()},
                      {"longest_ns", group.longest.count()}});
  }
  return {{"groups", groups}, {"count", model.waits.answer->count}};
}

Json memory_json(const PanelModel& model) {
  if (!model.shows(Panel::kMemory)) return nullptr;
  Json holders = Json::array(), categories = Json::object(), devices = Json::array();
  if (model.memory.answer == nullptr) return {{"answered", false}, {"holders", holders}};
  const MemoryAnswer& answer = *model.memory.answer;
  for (const MemoryDevice& device : answer.devices) devices.push_back(device.name);
  for (const analysis::MemoryHolder& holder : answer.report.holders) {
    holders.push_back({{"op", holder.op},
                       {"category", holder.category},
                       {"bytes", holder.bytes},
                       {"blocks", holder.blocks},
                       {"largest_op", op_number(holder.largest)}});
  }
  for (const analysis::MemoryShare& share : answer.report.by_category)
    categories[share.category] = share.bytes;
  return {{"answered", true},
          {"devices", devices},
          {"at_ns", ns_from(answer.report.at)},
          {"peak_ns", answer.peak ? Json(ns_from(answer.peak->at)) : Json()},
          {"counted", answer.report.counted.value_or(-1)},
          {"named", answer.report.named_bytes},
          {"lifetimes", answer.report.lifetimes},
          {"holders", holders},
          {"categories", categories}};
}

Json lesson_json(const PanelModel& model) {
  const LessonFacts& facts = model.lesson;
  if (facts.lesson == nullptr) return nullptr;
  Json outcomes = Json::array();
  Json predictions = Json::array();  // how many choices each has; 0: a number is typed
  for (std::size_t i = 0; i < facts.lesson->predictions.size(); ++i) {
    const samples::Prediction& asked = facts.lesson->predictions[i];
    const std::optional<double> predicted = facts.state.predictions[i];
    const samples::Outcome outcome = samples::judge(asked, predicted, facts.state.figures);
    predictions.push_back(asked.choices.size());
    outcomes.push_back({{"predicted", predicted ? Json(*predicted) : Json(nullptr)},
                        {"measured", outcome.measured ? Json(*outcome.measured) : Json(nullptr)},
                        {"verdict", verdict_words(outcome)}});
  }
  Json parts = Json::array();
  for (const samples::LessonPart& part : facts.lesson->parts) parts.push_back(part.id);
  return {{"number", facts.lesson->number},
          {"parts", parts},
          {"toggled", facts.lesson->toggled},
          {"stage", static_cast<int>(facts.state.stage) + 1},
          {"written_down", facts.state.written_down},
          {"outcomes", outcomes},
          {"predictions", predictions},
          {"figures", facts.state.figures},
          {"complete", samples::complete(*facts.lesson, facts.state.figures)},
          {"running", facts.running != nullptr ? Json(facts.running->id) : Json(nullptr)},
          {"of_recording", facts.of_recording}};
}

}  // namespace runahead::gui
