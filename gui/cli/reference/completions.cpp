#include "gui/cli/reference/completions.h"

#include <string_view>
#include <vector>

namespace runahead::gui {
namespace {

std::string with_blanks(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::vector<std::string> flags_of(const std::vector<OptionDescription>& options) {
  std::vector<std::string> flags;
  for (const OptionDescription& option : options)
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  return flags;
}

std::vector<std::string> choices_of(const std::vector<OptionDescription>& positionals) {
  std::vector<std::string> choices;
  for (const OptionDescription& positional : positionals)
    choices.insert(choices.end(), positional.choices.begin(), positional.choices.end());
  return choices;
}

std::vector<std::string> names_of_commands(const ProgramDescription& program) {
  std::vector<std::string> names;
  for (const CommandDescription& command : program.commands) names.push_back(command.name);
  return names;
}

// A word in single quotes, which all three shells read alike. `backslashes`: signs that get a backslash.
std::string in_single_quotes(std::string_view text, std::string_view backslashes = {}) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (backslashes.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "'";
}

std::string first_line(const ProgramDescription& program, std::string_view shell) {
  return "# Completion of " + program.name + " for " + std::string(shell) + ". Written by `" + program.name +
         " reference`.\n";
}

// ---- bash -------------------------------------------------------------------------------------------------

// The values of a command's options, as patterns of `case "$command $previous"`.
std::string bash_values(const CommandDescription& command, std::string_view name) {
  std::string out;
  for (const OptionDescription& option : command.options) {
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& flag : option.flags)
      pattern += (pattern.empty() ? "" : " | ") + ("'" + std::string(name) + " " + flag + "'");
    out += "    " + pattern + ") words=" + in_single_quotes(with_blanks(option.choices)) + "; value=yes ;;\n";
  }
  return out;
}

std::string bash_command(const CommandDescription& command, const std::string& pattern,
                         const std::vector<std::string>& more) {
  std::vector<std::string> flags = flags_of(command.options);
  for (const std::string& flag : more) {
    if (std::string(" " + with_blanks(flags) + " ").find(" " + flag + " ") == std::string::npos)
      flags.push_back(flag);
  }
  return "    " + pattern + ")\n      flags=" + in_single_quotes(with_blanks(flags)) +
         "\n      words=" + in_single_quotes(with_blanks(choices_of(command.positionals))) + " ;;\n";
}

constexpr std::string_view kBashBegin = R"(_runahead() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command='' flags='' words='' value='' i
  COMPREPLY=()
  # Bash splits --flag=value into three words.
  if [[ $current == = ]]; then current=''; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then  # another program's command line follows
      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); fi
      return
    fi
  done
  if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi
)";

constexpr std::string_view kBashEnd = R"(  if [[ $current == -* && -z $value ]]; then words=$flags; fi
  # Without a match, bash completes file names (-o default).
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _runahead runahead
)";

// ---- zsh --------------------------------------------------------------------------------------------------

std::string zsh_values(const OptionDescription& option) {
  if (!option.choices.empty()) {
    std::vector<std::string> choices;
    for (const std::string& choice : option.choices) {
      std::string escaped;
      for (const char c : choice) escaped += c == ':' ? "\\:" : std::string(1, c);
      choices.push_back(escaped);
    }
    return ":value:(" + with_blanks(choices) + ")";
  }
  return option.value == "INT" || option.value == "FLOAT" ? ":value: " : ":value:_files";
}

// A specification of _arguments. In its sentence, brackets and colons have a backslash.
std::string zsh_option(const OptionDescription& option, const std::string& flag) {
  const bool is_long = flag.starts_with("--");
  std::string out = option.repeats ? "*" : "";
  out += flag + (option.value.empty() ? "" : is_long ? "=" : "+");
  std::string sentence;
  for (const char c : option.sentence)
    sentence += c == '[' || c == ']' || c == ':' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  out += "[" + sentence + "]";
  return out + (option.value.empty() ? "" : zsh_values(option));
}

std::string zsh_arguments(const CommandDescription& command, const std::vector<OptionDescription>& more) {
  std::string out = "_arguments -S";
  for (const std::vector<OptionDescription>* options : {&command.options, &more}) {
    for (const OptionDescription& option : *options) {
      for (const std::string& flag : option.flags)
        out += " \\\n        " + in_single_quotes(zsh_option(option, flag));
    }
  }
  if (command.runs_program) return out + " \\\n        '*::program: _normal'";
  const std::vector<std::string> choices = choices_of(command.positionals);
  out += choices.empty() ? ""
                         : " \\\n        " + in_single_quotes(":" + command.positionals.front().name + ":(" +
                                                              with_blanks(choices) + ")");
  return out + " \\\n        '*:file:_files'";
}

// ---- fish -------------------------------------------------------------------------------------------------

std::string fish_option(const OptionDescription& option, const std::string& begin) {
  std::string out = begin;
  for (const std::string& flag : option.flags)
    out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  if (!option.choices.empty()) {
    out += " -x -a " + in_single_quotes(with_blanks(option.choices), "\\");
  } else if (!option.value.empty()) {
    out += " -r";
  }
  return out + " -d " + in_single_quotes(option.sentence, "\\") + "\n";
}

// In fish, a quote within single quotes has a backslash.
std::string for_fish(std::string text) {
  for (std::size_t at = 0; (at = text.find("'\\''", at)) != std::string::npos; at += 2)
    text.replace(at, 4, "\\'");
  return text;
}

}  // namespace

std::string bash_completion(const ProgramDescription& program) {
  std::string out = first_line(program, "bash") + std::string(kBashBegin) + "  case \"$command\" in\n";
  const CommandDescription& gui = default_command(program);
  for (const CommandDescription& command : program.commands) out += bash_command(command, command.name, {});
  out += bash_command(gui, "*", flags_of(program.options));
  out += "  esac\n  if ((COMP_CWORD == 1)); then words=" +
         in_single_quotes(with_blanks(names_of_commands(program))) + "; fi\n";
  out += "  case \"$command $previous\" in\n";
  for (const CommandDescription& command : program.commands) out += bash_values(command, command.name);
  out += bash_values(gui, "") + "  esac\n";
  return out + std::string(kBashEnd);
}

std::string zsh_completion(const ProgramDescription& program) {
  std::string out = "#compdef " + program.name + "\n" + first_line(program, "zsh");
  const CommandDescription& gui = default_command(program);
  out += "_runahead() {\n  local -a commands\n  commands=(\n";
  for (const CommandDescription& command : program.commands)
    out += "    " + in_single_quotes(command.name + ":" + command.sentence) + "\n";
  out +=
      "  )\n  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
      "    _describe -t commands command commands\n    _files\n    return\n  fi\n"
      "  case $words[2] in\n";
  for (const CommandDescription& command : program.commands) {
    out += "    " + command.name + ")\n      shift words\n      ((CURRENT--))\n      " +
           zsh_arguments(command, {}) + "\n      ;;\n";
  }
  out += "    *)\n      " + zsh_arguments(gui, program.options) + "\n      ;;\n";
  return out + "  esac\n}\n_runahead \"$@\"\n";
}

std::string fish_completion(const ProgramDescription& program) {
  std::string out = first_line(program, "fish");
  const std::string begin = "complete -c " + program.name;
  const std::string none_yet = " -n __fish_use_subcommand";
  for (const OptionDescription& option : program.options) out += fish_option(option, begin + none_yet);
  for (const OptionDescription& option : default_command(program).options)
    out += fish_option(option, begin + none_yet);
  for (const CommandDescription& command : program.commands) {
    out +=
        begin + none_yet + " -a " + command.name + " -d " + in_single_quotes(command.sentence, "\\") + "\n";
    const std::string within = begin + " -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionDescription& option : command.options) out += fish_option(option, within);
    const std::vector<std::string> choices = choices_of(command.positionals);
    if (!choices.empty()) out += within + " -a " + in_single_quotes(with_blanks(choices)) + "\n";
    if (command.runs_program) out += within + " -a '(__fish_complete_subcommand)'\n";
  }
  return for_fish(std::move(out));
}

}  // namespace runahead::gui
