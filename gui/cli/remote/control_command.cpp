// `runahead control`: lists the controls of a program that records now, or sets some of them.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "gui/cli/output.h"
#include "gui/cli/programs/process_number.h"
#include "gui/cli/remote/remote_program.h"
#include "gui/cli/remote/ssh_address.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;

struct ControlCommand {
  std::string source;
  std::vector<std::string> settings;
  bool json = false;
  RemoteWords remote;
};

Json control_json(const link::Control& control) {
  Json json{{"name", control.name}, {"value", control.value}};
  if (control.choices.empty()) {
    json["least"] = control.least;
    json["most"] = control.most;
  } else {
    json["choices"] = control.choices;
  }
  return json;
}

std::string allowed_values(const link::Control& control) {
  if (control.choices.empty()) return format_exact(control.least) + " to " + format_exact(control.most);
  std::string words;
  for (const std::string& choice : control.choices) words += (words.empty() ? "" : ", ") + choice;
  return words;
}

Outcome list_controls(link::ProgramLink& program, bool json) {
  const Result<std::vector<link::Control>> controls = program.controls();
  if (!controls) return refused(controls.error());
  if (json) {
    Json all = Json::array();
    for (const link::Control& control : *controls) all.push_back(control_json(control));
    return write_json({{"pid", program.program().pid}, {"controls", std::move(all)}});
  }
  if (controls->empty())
    return write_stdout("program " + std::to_string(program.program().pid) + " has no controls\n");
  std::vector<std::vector<std::string>> rows{{"name", "value", "allowed"}};
  for (const link::Control& control : *controls)
    rows.push_back({control.name, control.value, allowed_values(control)});
  return write_stdout(aligned(rows, {true, true, true}));
}

Outcome control_there(const ControlCommand& command) {
  const Result<SshAddress> address = parse_ssh_address(command.source);
  if (!address) return wrong_words(address.error());
  if (address->pid.empty())
    return wrong_words("'" + command.source + "': has no process number, such as ssh://host/4711");
  std::vector<std::string> arguments{"control", address->pid};
  if (command.json) arguments.emplace_back("--json");
  arguments.insert(arguments.end(), command.settings.begin(), command.settings.end());
  return run_there({*address, command.remote.ssh, command.remote.program}, arguments);
}

Outcome control(const ControlCommand& command) {
  if (is_ssh_address(command.source)) return control_there(command);
  const Result<pid_t> pid = parse_process_number(command.source);
  if (!pid) return wrong_words(pid.error());
  for (const std::string& setting : command.settings) {
    if (setting.find('=') == std::string::npos || setting.starts_with('='))
      return wrong_words("'" + setting + "': not NAME=VALUE");
  }
  const Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(*pid);
  if (!program) return refused(program.error());
  for (const std::string& setting : command.settings) {
    const std::size_t equals = setting.find('=');
    const Status set = (*program)->set(setting.substr(0, equals), setting.substr(equals + 1));
    if (!set) return refused(set.error());
  }
  return command.settings.empty() || command.json ? list_controls(**program, command.json) : success();
}

}  // namespace

void add_control_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("control", "List or set the controls of a program that records now");
  auto words = std::make_shared<ControlCommand>();
  command
      ->add_option("source", words->source,
                   "A process number (`runahead attach` lists them), or ssh://[user@]host[:port]/PID")
      ->required();
  command->add_option("settings", words->settings, "NAME=VALUE...; default: list the controls");
  command->add_flag("--json", words->json, "One JSON object");
  add_remote_words(*command, words->remote);
  command->callback([=, &chosen] { chosen = [=] { return control(*words); }; });
}

}  // namespace runahead::gui
