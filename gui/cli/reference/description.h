// The description of the command line as plain data, read from CLI11's description of it. The man pages and
// the completions of shells are written from this data, so they name what the program accepts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace CLI {
class App;
}

namespace runahead::gui {

struct OptionDescription {
  std::vector<std::string> flags;    // "-o", "--output"; empty: a positional argument
  std::string name;                  // of a positional argument: "file"
  std::string value;                 // the kind of the value: "TEXT", "INT", "N"; empty: it takes no value
  std::vector<std::string> choices;  // all values, if there are few; else empty
  std::string condition;             // "a whole number from 1 to 256"; empty: none
  std::string standard;              // the default value; empty: none
  std::string sentence;
  bool required = false, repeats = false;
};

struct CommandDescription {
  std::string name, sentence;
  std::string footer;  // lines in the layout of --help, such as a list of tables; empty: none
  std::vector<OptionDescription> options, positionals;
  bool runs_program = false;  // the words after -- are a program and its arguments
};

struct ProgramDescription {
  std::string name, version, sentence, footer;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;  // without hidden ones
};

// Reads the description. Values that the program knows (workloads, barriers) become choices.
[[nodiscard]] ProgramDescription program_description(const CLI::App& app, std::string version);

// Adds the options of `runahead python`, which the Python package parses: a JSON array, as
// `python3 -m runahead.command_line` prints it.
[[nodiscard]] Status add_python_options(ProgramDescription& program, const std::filesystem::path& json);

// The command that is used if the first word is no command: gui. REQUIRES: `program` has it.
[[nodiscard]] const CommandDescription& default_command(const ProgramDescription& program);

}  // namespace runahead::gui
