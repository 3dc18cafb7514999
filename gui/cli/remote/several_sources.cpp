#include "gui/cli/remote/several_sources.h"

#include <memory>
#include <utility>

#include "gui/cli/programs/process_number.h"
#include "gui/cli/remote/ssh_address.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {

namespace fs = std::filesystem;

// Each process beside this one keeps the pipes of those before it open, so the last one ends first.
SeveralSources::~SeveralSources() {
  joiner_.reset();
  while (!bridges_.empty()) bridges_.pop_back();
}

Status SeveralSources::add(const std::string& word) {
  if (is_ssh_address(word)) return add_remote(word);
  return is_process_number(word) ? add_program(word) : add_file(word);
}

Status SeveralSources::add_program(const std::string& number) {
  const Result<pid_t> pid = parse_process_number(number);
  if (!pid) return pid.error();
  const Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(*pid);
  if (!program) return program.error();
  return add_recording({*pid, (*program)->program().recording}, (*program)->program().command);
}

Status SeveralSources::add_file(const fs::path& file) {
  if (const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(file); !follower)
    return follower.error();
  const std::unique_ptr<link::ProgramLink> writer = link::ProgramLink::to_writer_of(file);
  if (writer) return add_recording({writer->program().pid, file}, writer->program().command);
  if (link::is_being_written(file)) return add_recording({0, file}, file.filename().string());
  return file_error("recording", file, "no program is writing it; join it with others by `runahead merge`");
}

Status SeveralSources::add_remote(const std::string& word) {
  const Result<SshAddress> address = parse_ssh_address(word);
  if (!address) return address.error();
  if (address->pid.empty()) {
    return Error{"'" + word + "': has no process number; `runahead attach " + word +
                 "` lists the programs that record there"};
  }
  if (!scratch_.folder()) return scratch_.folder().error();
  const fs::path mirror = *scratch_.folder() / ("copy-" + std::to_string(bridges_.size()) + ".runahead");
  Result<Bridge> bridge = Bridge::start(
      {.ssh = {*address, remote_.ssh, remote_.program}, .words = {}, .spool = {}, .mirror = mirror},
      stopped_);
  if (!bridge) return bridge.error();
  if (bridge->ended_early()) return Error{"'" + word + "': the program has ended"};
  bridges_.push_back(std::move(*bridge));
  return add_file(mirror);
}

Status SeveralSources::add_recording(GrowingRecording recording, const std::string& command) {
  for (const GrowingRecording& other : recordings_) {
    if (is_same_file(other.file, recording.file))
      return Error{"recording '" + recording.file.string() + "': is given twice"};
  }
  recordings_.push_back(std::move(recording));
  commands_ += (commands_.empty() ? "" : ", ") + command;
  return Ok{};
}

Status SeveralSources::join(const fs::path& out) {
  for (const GrowingRecording& recording : recordings_) {
    if (!out.empty() && is_same_file(out, recording.file))
      return file_error("recording", out, "is one of the recordings itself; give another name");
  }
  if (out.empty() && !scratch_.folder()) return scratch_.folder().error();
  joined_ = out.empty() ? *scratch_.folder() / "joined.runahead" : out;
  JoinerOptions options;
  options.recordings = recordings_;
  options.joined = joined_;
  options.command = commands_;
  Result<Joiner> joiner = Joiner::start(options);
  if (!joiner) return joiner.error();
  joiner_.emplace(std::move(*joiner));
  const Result<Processes> processes = joiner_->wait_for_processes();
  if (!processes) return processes.error();
  if (*processes != Processes::kMany) return Error{"the process that joins the recordings has ended"};
  return Ok{};
}

Status SeveralSources::end() {
  const Result<JoinedRecordings> ended = joiner_->wait([] { return true; });
  if (!ended) return ended.error();
  return Ok{};
}

}  // namespace runahead::gui
