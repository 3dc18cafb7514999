// The programs of this user that record now, and a link to one of them.
//
// Method: a program that records listens on a Unix socket (program_port.h). The socket is in a folder that
// only this user can open, and each side checks that the other side is the same user. Each message is one
// packet of text, with tabs between its fields. Nothing listens on a network.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/control.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/round_trip.h"

namespace runahead::link {

struct Program {
  pid_t pid = 0;
  std::string command;              // its words, with blanks between them
  std::filesystem::path recording;  // the file that it writes
  // Of a program on another machine: its CLOCK_MONOTONIC minus ours, and the largest error of this
  // difference.
  std::int64_t clock_offset_ns = 0, clock_error_ns = 0;
};

// The folder of the sockets: $XDG_RUNTIME_DIR/runahead, or /tmp/runahead-UID without XDG_RUNTIME_DIR.
[[nodiscard]] std::filesystem::path programs_folder();
// The programs of this user that record now, by process number. A socket whose program is gone is removed.
[[nodiscard]] std::vector<Program> list_programs();

// Only one thread may use it at a time. Every call waits at most two seconds for the program.
class ProgramLink {
 public:
  // Errors: no such program, it does not record, it belongs to another user, it does not answer.
  [[nodiscard]] static Result<std::unique_ptr<ProgramLink>> connect(pid_t pid);

  // Connects to the program that writes the recording now. nullptr: no such program of this user has a port.
  // While the link exists, the program writes new rows every 20 ms instead of every 100 ms.
  [[nodiscard]] static std::unique_ptr<ProgramLink> to_writer_of(const std::filesystem::path& recording);

  [[nodiscard]] const Program& program() const { return program_; }
  // Opens the recording that the program writes, also if its name has been removed.
  [[nodiscard]] Result<std::unique_ptr<FileFollower>> follow(const LinkLimits& limits = {});
  [[nodiscard]] Result<std::vector<Control>> controls();
  // The machine of the program, if the link to it is broken now. Empty: the link works.
  [[nodiscard]] Result<std::string> broken_host();
  // The latest round trips between the program's machine and ours. Empty: the program runs on this machine.
  [[nodiscard]] Result<std::vector<RoundTrip>> round_trips();
  // The recording, open for reading. Not valid: it cannot be opened. Call it once, and not with follow().
  [[nodiscard]] FileDescriptor take_recording() { return std::move(recording_); }
  // Sends a message of the link ("list", "set"), and returns the answer as it is.
  [[nodiscard]] Result<std::string> ask(const std::string& words);
  // Sets a control. The error is the program's answer: an unknown name, a value that is no choice or is out
  // of bounds.
  [[nodiscard]] Status set(const std::string& name, const std::string& value);

 private:
  ProgramLink(FileDescriptor socket, Program program, FileDescriptor recording)
      : socket_(std::move(socket)), program_(std::move(program)), recording_(std::move(recording)) {}

  FileDescriptor socket_;
  Program program_;
  FileDescriptor recording_;
};

}  // namespace runahead::link
