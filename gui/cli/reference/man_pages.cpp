#include "gui/cli/reference/man_pages.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "gui/text/utf8.h"

namespace runahead::gui {
namespace {

constexpr std::size_t kLineBytes = 78;  // mandoc reports lines of more than 80 bytes

// A text without the signs that roff reads as its own.
std::string roff_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    if (character == U'\\') {
      out += "\\e";
    } else if (character == U'-') {
      out += "\\-";
    } else if (character == U'\'') {
      out += "\\(aq";
    } else if (character == U'`') {
      out += "\\(ga";
    } else if (character == U'^') {
      out += "\\(ha";
    } else if (character == U'~') {
      out += "\\(ti";
    } else if (character < 0x80) {
      out += static_cast<char>(character);
    } else {
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", static_cast<unsigned>(character));
      out += name;
    }
  }
  return out;
}

// A line that begins with a dot would be a request of roff.
std::string line_of(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + std::string(text) + "\n";
}

// Flowing text: roff joins the lines again.
std::string paragraph(std::string_view text) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = roff_text(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kLineBytes) {
      out += line_of(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + line_of(line);
}

// A line whose blanks stay. A long line is written in parts: roff joins a line that ends with a backslash to
// the next one.
std::string kept_line(std::string_view text) {
  if (text.empty()) return ".PP\n";
  std::string out;
  std::string rest = roff_text(text);
  if (rest.starts_with('.')) rest = "\\&" + rest;
  while (rest.size() > kLineBytes) {
    const std::size_t blank = rest.find_last_of(' ', kLineBytes - 2);
    if (blank == std::string::npos || rest.find_first_not_of(' ') > blank) break;
    out += rest.substr(0, blank + 1) + "\\\n";
    rest.erase(0, blank + 1);
  }
  return out + rest + "\n";
}

std::string kept_lines(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out = ".nf\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += kept_line(text.substr(at, end - at));
    at = end + 1;
  }
  return out + ".fi\n";
}

std::string heading(std::string_view name) { return ".SH " + std::string(name) + "\n"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return text;
}

std::string title(const ProgramDescription& program, const std::string& page, const std::string& date) {
  return ".TH \"" + roff_text(upper(page)) + "\" 1 \"" + date + "\" \"" +
         roff_text(program.name + " " + program.version) + "\" \"User Commands\"\n";
}

// "TEXT", with dots if there may be several values.
std::string value_tag(const OptionDescription& option) {
  return "\\fI" + roff_text(option.value) + "\\fR" + (option.repeats ? " ..." : "");
}

std::string tag_of(const OptionDescription& option) {
  if (option.flags.empty()) return "\\fI" + roff_text(option.name) + "\\fR" + (option.repeats ? " ..." : "");
  std::string out;
  for (const std::string& flag : option.flags)
    out += (out.empty() ? "\\fB" : ", \\fB") + roff_text(flag) + "\\fR";
  return option.value.empty() ? out : out + " " + value_tag(option);
}

std::string with_commas(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string sentence_of(const OptionDescription& option) {
  std::string out = option.sentence;
  const auto add = [&](const std::string& text) {
    if (!out.empty()) out += out.ends_with('.') ? " " : ". ";
    out += text;
  };
  if (!option.choices.empty()) add("One of: " + with_commas(option.choices));
  if (!option.condition.empty()) add("It is " + option.condition);
  if (!option.standard.empty()) add("Default: " + option.standard);
  if (option.required) add("Required");
  if (!out.empty() && !out.ends_with('.')) out += '.';
  return out;
}

std::string items(const std::vector<OptionDescription>& options) {
  std::string out;
  for (const OptionDescription& option : options)
    out += ".TP\n" + line_of(tag_of(option)) + paragraph(sentence_of(option));
  return out;
}

std::string synopsis(const ProgramDescription& program, const CommandDescription& command) {
  std::string out = "\\fB" + roff_text(program.name + " " + command.name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const OptionDescription& positional : command.positionals) {
    if (command.runs_program && positional.name == "command") out += " \\-\\-";
    out += positional.required ? " " : " [";
    out += tag_of(positional) + (positional.required ? "" : "]");
  }
  return out + "\n";
}

std::string files_and_more(const ProgramDescription& program, std::string_view see) {
  return heading("EXIT STATUS") + kept_lines(program.footer) + heading("SEE ALSO") + std::string(see);
}

}  // namespace

std::string man_page(const ProgramDescription& program, const std::string& date) {
  const std::string name = roff_text(program.name);
  const CommandDescription& gui = default_command(program);
  std::string out = title(program, program.name, date) + heading("NAME") + name +
                    " \\- profiler for asynchronous execution\n" + heading("SYNOPSIS") + "\\fB" + name +
                    "\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR ...]\n.br\n\\fB" + name +
                    "\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n";
  out += heading("DESCRIPTION") + paragraph(program.sentence) + heading("OPTIONS") + items(program.options);
  out +=
      ".PP\n" + paragraph("Without a command, the options of `" + program.name + " " + gui.name + "` apply.");
  out += heading("COMMANDS");
  std::string see;
  for (const CommandDescription& command : program.commands) {
    out += ".TP\n\\fB" + roff_text(command.name) + "\\fR\n" + paragraph(command.sentence + ".");
    see += std::string(see.empty() ? "" : " ,\n") + ".BR " + name + "\\-" + roff_text(command.name) + " (1)";
  }
  return out + files_and_more(program, see + "\n");
}

std::string man_page(const ProgramDescription& program, const CommandDescription& command,
                     const std::string& date) {
  const std::string page = program.name + "-" + command.name;
  std::string out = title(program, page, date) + heading("NAME") +
                    paragraph(page + " - " + command.sentence) + heading("SYNOPSIS") +
                    synopsis(program, command);
  if (!command.positionals.empty()) out += heading("ARGUMENTS") + items(command.positionals);
  out += heading("OPTIONS") + items(command.options);
  if (!command.footer.empty()) out += heading("DETAILS") + kept_lines(command.footer);
  return out + files_and_more(program, ".BR " + roff_text(program.name) + " (1)\n");
}

}  // namespace runahead::gui
