#include "gui/cli/remote/several_sources.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gui/cli/programs/process_number.h"
#include "gui/cli/remote/ssh_address.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/program_link.h"
#include "instrumentation/link/round_trip.h"

namespace runahead::gui {

namespace fs = std::filesystem;

namespace {

// Where a recording grows, and what is known of its program.
struct FoundSource {
  GrowingRecording recording;
  link::Program program;
};

// Opens the recording, so that a source that cannot be read is refused before a file is written.
Status check_readable(const fs::path& file) {
  const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(file);
  return follower ? Status(Ok{}) : Status(follower.error());
}

FoundSource found_at(link::ProgramLink& program) {
  FoundSource source{{program.program().pid, program.program().recording, {}}, program.program()};
  if (Result<std::vector<link::RoundTrip>> trips = program.round_trips())
    source.recording.trips = std::move(*trips);
  return source;
}

Result<FoundSource> found_by_number(const std::string& number) {
  const Result<pid_t> pid = parse_process_number(number);
  if (!pid) return pid.error();
  const Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(*pid);
  if (!program) return program.error();
  if (const Status readable = check_readable((*program)->program().recording); !readable)
    return readable.error();
  return found_at(**program);
}

// may_have_ended: a copy, whose program may be short.
Result<FoundSource> found_in_file(const fs::path& file, bool may_have_ended) {
  if (const Status readable = check_readable(file); !readable) return readable.error();
  const std::unique_ptr<link::ProgramLink> writer = link::ProgramLink::to_writer_of(file);
  FoundSource source;
  if (writer) source = found_at(*writer);
  if (!writer && !may_have_ended && !link::is_being_written(file)) {
    return file_error("recording", file, "no program is writing it; join it with others by `runahead merge`");
  }
  if (!writer) source.program.command = file.filename().string();
  source.recording.file = file;
  return source;
}

Result<FoundSource> found_here(const std::string& word) {
  return is_process_number(word) ? found_by_number(word) : found_in_file(word, false);
}

Result<SshAddress> address_with_number(const std::string& word) {
  Result<SshAddress> address = parse_ssh_address(word);
  if (address && address->pid.empty()) {
    return Error{"'" + word + "': has no process number; `runahead attach " + word +
                 "` lists the programs that record there"};
  }
  return address;
}

Error given_twice(const std::string& word) { return Error{"'" + word + "': is given twice"}; }

Status check_other_file(const fs::path& out, const fs::path& recording) {
  if (out.empty() || !is_same_file(out, recording)) return Ok{};
  return file_error("recording", out, "is one of the recordings itself; give another name");
}

}  // namespace

// Each process beside this one keeps the pipes of those before it open, so the last one ends first.
SeveralSources::~SeveralSources() {
  joiner_.reset();
  while (!bridges_.empty()) bridges_.pop_back();
}

Status SeveralSources::check(const std::vector<std::string>& words, const fs::path& out) {
  std::vector<fs::path> recordings;
  for (const std::string& word : words) {
    if (std::ranges::count(words, word) > 1) return given_twice(word);
    if (is_ssh_address(word)) {
      if (const Result<SshAddress> address = address_with_number(word); !address) return address.error();
      continue;
    }
    const Result<FoundSource> source = found_here(word);
    if (!source) return source.error();
    const fs::path& file = source->recording.file;
    if (const Status other = check_other_file(out, file); !other) return other;
    for (const fs::path& recording : recordings) {
      if (is_same_file(recording, file)) return given_twice(word);
    }
    recordings.push_back(file);
  }
  return Ok{};
}

Status SeveralSources::add(const std::string& word) {
  if (is_ssh_address(word)) return add_remote(word);
  Result<FoundSource> source = found_here(word);
  if (!source) return source.error();
  return add_recording(std::move(source->recording), source->program);
}

Status SeveralSources::add_copy(const fs::path& copy) {
  Result<FoundSource> source = found_in_file(copy, true);
  if (!source) return source.error();
  return add_recording(std::move(source->recording), source->program);
}

Status SeveralSources::add_remote(const std::string& word) {
  const Result<SshAddress> address = address_with_number(word);
  if (!address) return address.error();
  if (!scratch_.folder()) return scratch_.folder().error();
  const fs::path copy = *scratch_.folder() / ("copy-" + std::to_string(bridges_.size()) + ".runahead");
  BridgeOptions options;
  options.ssh = {*address, remote_.ssh, remote_.program};
  options.mirror = copy;
  Result<Bridge> bridge = Bridge::start(options, stopped_);
  if (!bridge) return bridge.error();
  if (bridge->ended_early()) return Error{"'" + word + "': the program has ended"};
  bridges_.push_back(std::move(*bridge));
  return add_copy(copy);
}

Status SeveralSources::add_recording(GrowingRecording recording, const link::Program& program) {
  for (const GrowingRecording& other : recordings_) {
    if (is_same_file(other.file, recording.file)) return given_twice(recording.file.string());
  }
  if (recordings_.empty()) {
    clock_offset_ns_ = program.clock_offset_ns;
    clock_error_ns_ = program.clock_error_ns;
  }
  recordings_.push_back(std::move(recording));
  commands_ += (commands_.empty() ? "" : ", ") + program.command;
  return Ok{};
}

Status SeveralSources::join(const fs::path& out) {
  for (const GrowingRecording& recording : recordings_) {
    if (const Status readable = check_readable(recording.file); !readable) return readable;
    if (const Status other = check_other_file(out, recording.file); !other) return other;
  }
  if (out.empty() && !scratch_.folder()) return scratch_.folder().error();
  joined_ = out.empty() ? *scratch_.folder() / "joined.runahead" : out;
  JoinerOptions options;
  options.recordings = recordings_;
  options.joined = joined_;
  options.command = commands_;
  options.clock_offset_ns = clock_offset_ns_;
  options.clock_error_ns = clock_error_ns_;
  Result<Joiner> joiner = Joiner::start(options);
  if (!joiner) return joiner.error();
  joiner_.emplace(std::move(*joiner));
  const Result<Processes> processes = joiner_->wait_for_processes(stopped_);
  if (!processes) return processes.error();
  if (*processes != Processes::kMany) return Error{"the process that joins the recordings has ended"};
  return Ok{};
}

Status SeveralSources::end() {
  const Result<JoinedRecordings> ended = joiner_->wait([] { return true; });
  Status status = ended ? Status(Ok{}) : Status(ended.error());
  joiner_.reset();
  while (!bridges_.empty()) {
    const Result<std::optional<ChildEnd>> copied = bridges_.back().stop();
    if (status && !copied) status = copied.error();
    bridges_.pop_back();
  }
  return status;
}

}  // namespace runahead::gui
