#include "gui/cli/programs/joined_controls.h"

#include <algorithm>
#include <set>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/link/frames.h"

namespace runahead::gui {
namespace {

using std::chrono::steady_clock;

// The lines of an answer to "list", without empty ones.
std::vector<std::string> lines_of(const std::string& answer) {
  std::vector<std::string> lines = link::split_fields(answer, '\n');
  std::erase(lines, "");
  return lines;
}

std::string name_in(const std::string& line) { return line.substr(0, line.find('\t')); }

}  // namespace

void JoinedControls::add(pid_t process, std::filesystem::path recording) {
  const MutexLock lock(mutex_);
  Process added(process);
  added.recording = std::move(recording);
  if (first_ == 0) first_ = process;
  processes_.push_back(std::move(added));
}

void JoinedControls::connect(Process& process) {
  constexpr std::chrono::milliseconds kLongestPause{5000};
  Result<std::unique_ptr<link::ProgramLink>> link = link::ProgramLink::connect(process.pid);
  if (link && is_same_file((*link)->program().recording, process.recording)) {
    process.link = std::move(*link);
    static_cast<void>(process.link->take_recording());  // the joiner has the file open already
    return;
  }
  process.pause = std::min(2 * process.pause, kLongestPause);
  process.next_try = steady_clock::now() + process.pause;
}

void JoinedControls::connect() {
  const MutexLock lock(mutex_);
  std::erase_if(processes_, [](const Process& process) { return process.watch.ended(); });
  for (Process& process : processes_) {
    if (!process.link && steady_clock::now() >= process.next_try) connect(process);
  }
}

// True for a process on another machine.
bool JoinedControls::is_elsewhere(const Process& process) {
  return process.link && process.link->program().clock_error_ns != 0;
}

Result<std::string> JoinedControls::ask(Process& process, const std::string& words) {
  if (!process.link) connect(process);
  if (!process.link) return Error{"process " + std::to_string(process.pid) + " does not answer"};
  Result<std::string> answer = process.link->ask(words);
  if (!answer) process.link.reset();
  return answer;
}

std::string JoinedControls::list() {
  std::string lines;
  std::set<std::string> names;
  for (Process& process : processes_) {
    const Result<std::string> answer = ask(process, "list");
    if (!answer) continue;
    for (const std::string& line : lines_of(*answer)) {
      if (names.insert(name_in(line)).second) lines += line + "\n";
    }
  }
  return lines + "\n";
}

std::string JoinedControls::set(const std::string& words, const std::string& name) {
  std::string said, failed;
  for (Process& process : processes_) {
    Result<std::string> answer = ask(process, "list");
    if (answer) {
      const std::vector<std::string> controls = lines_of(*answer);
      if (std::ranges::find(controls, name, name_in) == controls.end()) continue;
      answer = ask(process, words);
    }
    if (answer && (said.empty() || *answer != "ok")) said = *answer;
    if (!answer && !process.watch.ended())
      failed = "error\tprocess " + std::to_string(process.pid) + " does not answer";
  }
  if (!failed.empty()) return failed;
  return said.empty() ? "error\tno process has the control '" + name + "'" : said;
}

// The answer of the first process with a broken link to its machine.
std::optional<std::string> JoinedControls::broken_link() {
  for (Process& process : processes_) {
    if (!is_elsewhere(process)) continue;
    const Result<std::string> answer = ask(process, "link");
    if (answer && answer->starts_with("broken")) return *answer;
  }
  return std::nullopt;
}

// The first process gives the time.
std::optional<std::string> JoinedControls::clock_of_first() {
  if (processes_.empty() || processes_.front().pid != first_ || !is_elsewhere(processes_.front()))
    return std::nullopt;
  const Result<std::string> answer = ask(processes_.front(), "clock");
  return answer ? std::optional(*answer) : std::nullopt;
}

std::optional<std::string> JoinedControls::answer(const std::string& words) {
  const MutexLock lock(mutex_);
  const std::vector<std::string> fields = link::split_fields(words, '\t');
  if (words == "list") return list();
  if (words == "link") return broken_link().value_or("here");
  if (words == "clock") return clock_of_first();
  if (fields.size() != 3 || fields[0] != "set") return std::nullopt;
  return set(words, fields[1]);
}

}  // namespace runahead::gui
