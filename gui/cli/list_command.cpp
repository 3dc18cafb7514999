// `runahead list`: lists the workloads, their parameters with the defaults for the sizes "class" and
// "published", the exercises, and the barriers.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/barrier.h"
#include "samples/lessons/exercise.h"
#include "samples/workload.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;

Json number(const samples::ParameterSpec& spec, double value) {
  return spec.integer ? Json(std::llround(value)) : Json(value);
}

Json workload_json(const samples::WorkloadSpec& spec) {
  Json parameters = Json::array(), barriers = Json::array();
  for (const samples::ParameterSpec& p : spec.parameters) {
    parameters.push_back({{"name", p.name},
                          {"help", p.help},
                          {"class", number(p, p.class_value)},
                          {"published", number(p, p.published_value)},
                          {"min", number(p, p.min)},
                          {"max", number(p, p.max)},
                          {"integer", p.integer}});
  }
  for (const BarrierKind kind : spec.barriers) {
    for (const BarrierChoice& choice : barrier_choices()) {
      if (choice.policy.kind == kind) barriers.push_back(to_string(choice.policy));
    }
  }
  return {{"name", spec.name},
          {"title", spec.title},
          {"question", spec.question},
          {"look_for", spec.look_for},
          {"published", spec.published},
          {"default_device", spec.default_device},
          {"workers", spec.cpu_workers},
          {"needs_accelerator", spec.needs_accelerator},
          {"measures_at_end", spec.measures_at_end},
          {"presets", {"class", "published"}},
          {"parameters", parameters},
          {"barriers", barriers}};
}

Json exercise_json(const samples::Exercise& exercise) {
  return {{"number", exercise.number},   {"title", exercise.title},         {"workload", exercise.workload},
          {"devices", exercise.devices}, {"size", exercise.size},           {"settings", exercise.settings},
          {"barrier", exercise.barrier}, {"workers", exercise.cpu_workers}, {"steps", exercise.steps},
          {"compare", exercise.compare}};
}

Outcome list_as_json() {
  Json workloads = Json::array(), barriers = Json::array();
  for (const samples::WorkloadSpec* spec : samples::list_workloads())
    workloads.push_back(workload_json(*spec));
  for (const BarrierChoice& choice : barrier_choices()) {
    barriers.push_back({{"name", to_string(choice.policy)}, {"sentence", std::string(choice.sentence)}});
  }
  Json exercises = Json::array();
  for (const samples::Exercise& exercise : samples::list_exercises())
    exercises.push_back(exercise_json(exercise));
  return write_json({{"workloads", workloads}, {"exercises", exercises}, {"barriers", barriers}});
}

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string exercises_as_text() {
  std::vector<std::vector<std::string>> rows;
  for (const samples::Exercise& exercise : samples::list_exercises())
    rows.push_back({"  " + std::to_string(exercise.number), exercise.title, exercise.workload});
  return "Exercises (--exercise):\n" + aligned(rows, {true, true, true});
}

Outcome list_as_text() {
  std::string out;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) {
    out += spec->name + "  (" + spec->default_device + (spec->needs_accelerator ? "; not on cpu alone" : "") +
           ")\n  " + spec->question + "\n";
    std::vector<std::vector<std::string>> rows{{"    parameter", "class", "published", ""}};
    for (const samples::ParameterSpec& p : spec->parameters) {
      rows.push_back({"    " + p.name, plain(p.class_value), plain(p.published_value), p.help});
    }
    out += aligned(rows, {true, false, false, true}) + "\n";
  }
  out += exercises_as_text() + "\nBarriers (--barrier):\n";
  std::vector<std::vector<std::string>> rows;
  for (const BarrierChoice& choice : barrier_choices()) {
    rows.push_back({"  " + to_string(choice.policy), std::string(choice.sentence)});
  }
  return write_stdout(out + aligned(rows, {true, true}));
}

}  // namespace

void add_list_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("list", "The workloads, their parameters and defaults, and the barriers");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  command->callback([json, &chosen] { chosen = *json ? list_as_json : list_as_text; });
}

}  // namespace runahead::gui
