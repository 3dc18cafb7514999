// `runahead python`: runs a script with the Python package, whose module __main__ reads the options.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "gui/cli/subcommands.h"
#include "instrumentation/base/module_file.h"
#include "instrumentation/base/spawn.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

// The Python for which the extension was built, if this machine has it.
std::string interpreter() {
  std::error_code error;
  const fs::path built_for = RUNAHEAD_PYTHON;
  return !built_for.empty() && fs::exists(built_for, error) ? built_for.string() : "python3";
}

Outcome run_script(const std::vector<std::string>& words) {
  const std::optional<fs::path> package = find_python_package();
  if (!package) {
    return refused(
        "python: the Python package is not installed; it is built if python3-dev is installed (CMake prints "
        "the features), and is then beside the program");
  }
  if (!end_with_parent()) return refused("python: the program that started this script has ended");
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path =
      package->string() + (before != nullptr && *before != '\0' ? ":" + std::string(before) : "");
  ::setenv("PYTHONPATH", path.c_str(), 1);
  std::vector<std::string> command{interpreter(), "-m", "runahead"};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return refused("python: cannot start '" + command.front() + "': " + std::strerror(errno));
}

}  // namespace

void add_python_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("python",
                                         "Run a script of MXNet, PyTorch or d2l on this engine, or observe "
                                         "PyTorch: python [options] SCRIPT.py [ARGS]");
  command->prefix_command();  // everything after `python` is for the package, --help too
  command->set_help_flag();
  command->callback([=, &chosen] { chosen = [=] { return run_script(command->remaining()); }; });
}

}  // namespace runahead::gui
