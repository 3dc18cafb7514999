#include "gui/cli/reference/description.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "instrumentation/base/barrier.h"
#include "samples/workload.h"

namespace runahead::gui {
namespace {

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) names.push_back(spec->name);
  return names;
}

std::vector<std::string> barrier_names() {
  std::vector<std::string> names;
  for (const BarrierChoice& choice : barrier_choices()) names.push_back(to_string(choice.policy));
  return names;
}

// The values of options that are checked after CLI11 has parsed them.
std::vector<std::string> known_values(const std::string& name) {
  if (name == "workload" || name == "--workload") return workload_names();
  if (name == "--barrier") return barrier_names();
  return {};
}

std::vector<std::string> words_between(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// CLI11 writes "KIND", "KIND:{a,b}" or "KIND:a whole number from 1 to 256". A kind such as "TIME:POLICY" has
// a colon of its own, before a capital.
void split_kind(const std::string& text, OptionDescription& out) {
  const std::size_t colon = text.find(':');
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (rest.empty() || (rest.front() >= 'A' && rest.front() <= 'Z')) {
    out.value = text;
    return;
  }
  out.value = text.substr(0, colon);
  if (rest.front() == '{' && rest.back() == '}') {
    out.choices = words_between(rest.substr(1, rest.size() - 2), ',');
  } else {
    out.condition = rest;
  }
}

OptionDescription option_description(const CLI::Option& option) {
  OptionDescription out;
  for (const std::string& name : option.get_snames()) out.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.flags.push_back("--" + name);
  if (!option.nonpositional()) out.name = option.get_name();
  if (option.get_items_expected_max() > 0) split_kind(option.get_type_name(), out);
  if (out.choices.empty()) out.choices = known_values(out.flags.empty() ? out.name : out.flags.back());
  out.standard = option.get_default_str();
  out.sentence = option.get_description();
  out.required = option.get_required();
  out.repeats = option.get_expected_max() > 1;
  return out;
}

void add_options(const CLI::App& app, std::vector<OptionDescription>& options,
                 std::vector<OptionDescription>& positionals) {
  for (const CLI::Option* option : app.get_options()) {
    OptionDescription description = option_description(*option);
    (option->nonpositional() ? options : positionals).push_back(std::move(description));
  }
}

CommandDescription command_description(const CLI::App& app, const std::string& footer_of_all) {
  CommandDescription out{
      .name = app.get_name(), .sentence = app.get_description(), .footer = app.get_footer()};
  if (out.footer == footer_of_all) out.footer.clear();
  add_options(app, out.options, out.positionals);
  out.runs_program = std::ranges::any_of(
      out.positionals, [](const OptionDescription& positional) { return positional.name == "command"; });
  return out;
}

OptionDescription python_option(const nlohmann::json& json) {
  return {.flags = json.at("flags").get<std::vector<std::string>>(),
          .name = json.at("name").get<std::string>(),
          .value = json.at("value").get<std::string>(),
          .choices = json.at("choices").get<std::vector<std::string>>(),
          .sentence = json.at("help").get<std::string>(),
          .required = json.at("required").get<bool>(),
          .repeats = json.at("repeats").get<bool>()};
}

}  // namespace

ProgramDescription program_description(const CLI::App& app, std::string version) {
  ProgramDescription out{.name = app.get_name(),
                         .version = std::move(version),
                         .sentence = app.get_description(),
                         .footer = app.get_footer()};
  std::vector<OptionDescription> none;
  add_options(app, out.options, none);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // hidden
    out.commands.push_back(command_description(*command, app.get_footer()));
  }
  return out;
}

Status add_python_options(ProgramDescription& program, const std::filesystem::path& json) {
  const auto python = std::ranges::find(program.commands, "python", &CommandDescription::name);
  if (python == program.commands.end()) return Error{"there is no command `python`"};
  std::ifstream file(json);
  try {
    for (const nlohmann::json& each : nlohmann::json::parse(file)) {
      OptionDescription option = python_option(each);
      (option.flags.empty() ? python->positionals : python->options).push_back(std::move(option));
    }
  } catch (const nlohmann::json::exception& error) {
    return Error{"'" + json.string() + "': no options of the Python package: " + error.what()};
  }
  return Ok{};
}

const CommandDescription& default_command(const ProgramDescription& program) {
  return *std::ranges::find(program.commands, "gui", &CommandDescription::name);
}

}  // namespace runahead::gui
