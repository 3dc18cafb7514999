#include "gui/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/session/session_facts.h"
#include "instrumentation/base/visible_text.h"

namespace runahead::gui {
namespace {

constexpr std::string_view kFooter =
    "Exit codes: 0 success; 2 usage error; 1 other failure (file, device, memory, display).\n"
    "Give any command --help for its own options.";

bool names_command(const CLI::App& app, const std::string& word) {
  const std::vector<const CLI::App*> commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* c) { return c->get_name() == word; });
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // hidden
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

// Called for a word in the place of a command. True if the word is probably a file name.
bool looks_like_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

// Inserts the command `gui` for `runahead`, `runahead FILE` and `runahead --workload W`, which open the
// window.
Outcome complete_words(const CLI::App& app, std::vector<std::string>& words) {
  static constexpr std::string_view kOwn[]{"--help", "-h", "--version"};
  if (!words.empty()) {
    const std::string& first = words.front();
    if (names_command(app, first) || std::find(std::begin(kOwn), std::end(kOwn), first) != std::end(kOwn)) {
      return success();
    }
    if (!first.starts_with("-") && !looks_like_file(first)) {
      return wrong_words("unknown command '" + first + "': the commands are " + command_names(app) +
                         " (or give the name of a trace to open)");
    }
  }
  words.insert(words.begin(), "gui");
  return success();
}

// An error of CLI11 says which word of the command line is wrong. This function adds a hint: the command line
// that prints the help. The text of CLI11 may have several lines; write_stderr_line() joins them.
Outcome outcome_of(const CLI::ParseError& error, const std::vector<std::string>& words) {
  const std::string command = words.empty() || words.front().starts_with("-") ? "" : " " + words.front();
  return wrong_words(std::string(error.what()) + "; see `runahead" + command + " --help`");
}

// Returns the name of the first option with an empty value; empty: there is no such option. An empty value is
// always an error. It usually comes from an unset shell variable.
std::string empty_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string& name = option->get_name();
      const bool named = option->nonpositional() || name == "file" || name == "source";
      if (named && std::ranges::any_of(option->results(), &std::string::empty)) return option->get_name();
    }
  }
  return {};
}

Outcome parse_and_do(CLI::App& app, std::vector<std::string> words, const Action& chosen) {
  if (Outcome completed = complete_words(app, words); completed.exit_code != 0) return completed;
  try {
    // CLI11 takes the words in reverse order
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> met = app.get_subcommands();
    return write_stdout(met.empty() ? app.help() : met.front()->help());
  } catch (const CLI::CallForVersion& version) {
    return write_stdout(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return outcome_of(error, words);
  }
  if (const std::string option = empty_option(app); !option.empty())
    return wrong_words(option + ": its value is empty; give one, or leave it out");
  try {
    return chosen ? chosen() : success();
  } catch (const std::filesystem::filesystem_error&
               error) {  // the last resort: the commands should handle such an error themselves
    return refused("'" + visible_text(error.path1().string()) + "': " + error.code().message());
  }
}

}  // namespace

std::string about_text(std::string_view commit) { return version_text(commit); }

int run_command_line(int argc, char** argv, const WindowEntry& window, std::string_view commit) {
  std::signal(SIGPIPE, SIG_IGN);
  // SIGXFSZ is ignored. Then a write beyond the file size limit fails with a message; otherwise it would end
  // the program.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Runahead: a profiler for asynchronous execution. Without a command it opens the window.",
               "runahead"};
  app.footer(std::string(kFooter));
  app.set_version_flag("--version", about_text(commit), "Print the version and the build, and exit");
  app.require_subcommand(0, 1);
  Action chosen;
  add_gui_command(app, window, chosen);
  add_list_command(app, chosen);
  add_devices_command(app, chosen);
  add_run_command(app, chosen);
  add_info_command(app, chosen);
  add_stats_command(app, chosen);
  add_explain_command(app, chosen);
  add_predict_command(app, chosen);
  add_compare_command(app, chosen);
  add_query_command(app, chosen);
  add_export_command(app, chosen);
  add_serve_command(app, chosen);
  add_codes_command(app, chosen);
  add_convert_command(app, chosen);
  add_merge_command(app, chosen);
  add_record_command(app, chosen);
  add_python_command(app, chosen);
  add_live_command(app, window, chosen);
  add_attach_command(app, window, chosen);
  add_control_command(app, chosen);
  add_agent_command(app, chosen);
  add_reference_command(app, chosen);
  add_screenshot_command(app, window, chosen);

  const Outcome outcome =
      parse_and_do(app, std::vector<std::string>(argv + std::min(argc, 1), argv + argc), chosen);
  if (!outcome.message.empty()) write_stderr_line(outcome.message);
  return outcome.exit_code;
}

}  // namespace runahead::gui
