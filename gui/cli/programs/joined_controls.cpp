#include "gui/cli/programs/joined_controls.h"

#include <algorithm>
#include <set>
#include <utility>

#include "instrumentation/link/frames.h"

namespace runahead::gui {
namespace {

// The lines of an answer to "list", without empty ones.
std::vector<std::string> lines_of(const std::string& answer) {
  std::vector<std::string> lines = link::split_fields(answer, '\n');
  std::erase(lines, "");
  return lines;
}

std::string name_in(const std::string& line) { return line.substr(0, line.find('\t')); }

}  // namespace

void JoinedControls::add(std::unique_ptr<link::ProgramLink> process) {
  const MutexLock lock(mutex_);
  processes_.push_back(std::move(process));
}

// A process that has ended does not answer any more.
std::string JoinedControls::list() {
  std::string lines;
  std::set<std::string> names;
  std::erase_if(processes_, [&](const auto& process) {
    const Result<std::string> answer = process->ask("list");
    if (!answer) return true;
    for (const std::string& line : lines_of(*answer)) {
      if (names.insert(name_in(line)).second) lines += line + "\n";
    }
    return false;
  });
  return lines + "\n";
}

std::string JoinedControls::set(const std::string& words, const std::string& name) {
  std::string answer;
  for (const auto& process : processes_) {
    const Result<std::string> controls = process->ask("list");
    if (!controls) continue;
    const std::vector<std::string> lines = lines_of(*controls);
    if (std::ranges::none_of(lines, [&](const std::string& line) { return name_in(line) == name; })) continue;
    const Result<std::string> said = process->ask(words);
    if (said && (answer.empty() || *said != "ok")) answer = *said;
  }
  return answer.empty() ? "error\tno process has the control '" + name + "'" : answer;
}

std::optional<std::string> JoinedControls::answer(const std::string& words) {
  const MutexLock lock(mutex_);
  const std::vector<std::string> fields = link::split_fields(words, '\t');
  if (words == "list") return list();
  if (words == "link") return "here";
  if (fields.size() != 3 || fields[0] != "set") return std::nullopt;
  return set(words, fields[1]);
}

}  // namespace runahead::gui
