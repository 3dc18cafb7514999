// ProgramPort: the program's end of the link. While it exists, watchers of the same user find this process
// (list_programs()), get its recording, and set its controls (record/controls.h).
//
// Messages, each one packet of text: after a connection the port sends "runahead 1", the process number, the
// file, the command, and the offset and error of its clock (Program), with tabs between them, and the open
// file beside them. "list" is answered with a line for each control: name, value, then the choices of a
// switch, or "number", least and most. "set", name and value is answered with "ok", or with "error" and a
// sentence. "link" is answered with "here"; for a program on another machine with "there" and the machine, or
// with "broken" and the machine. "clock" is answered with the latest round trips to this machine
// (round_trip.h); a program on this machine does not know it. Any other message ends the connection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/program_link.h"

namespace runahead::link {

// A thread of its own answers the watchers, so a watcher never holds up the program. A watcher that does not
// read its answers is disconnected. Only the owner calls the functions.
class ProgramPort {
 public:
  // Answers a message of a watcher. nullopt: the message is wrong, and the connection ends. Called on the
  // port's thread.
  using Answer = std::function<std::optional<std::string>(const std::string& words)>;
  // Answers with the controls of this process.
  [[nodiscard]] static std::optional<std::string> answer_with_own_controls(const std::string& words);

  // program.recording: the file, which exists. Error: the folder of the sockets cannot be used.
  // `watched` (may be empty) is called on the port's thread: with true when a watcher has connected, with
  // false when the last one is gone.
  [[nodiscard]] static Result<std::unique_ptr<ProgramPort>> open(Program program,
                                                                 std::function<void(bool)> watched = {},
                                                                 Answer answer = answer_with_own_controls);
  ~ProgramPort();  // removes the socket and ends the thread
  ProgramPort(const ProgramPort&) = delete;
  ProgramPort& operator=(const ProgramPort&) = delete;

  // Call in a forked child, in which the thread does not exist: closes the child's copy of the listening
  // socket, so that nobody connects to the child. Then the destructor must not run.
  void close_in_child() noexcept;

 private:
  ProgramPort(Program program, std::function<void(bool)> watched, Answer answer)
      : program_(std::move(program)), watched_(std::move(watched)), answer_(std::move(answer)) {}
  [[nodiscard]] Status listen();
  void serve();
  [[nodiscard]] bool accept_one();
  [[nodiscard]] bool greet(const FileDescriptor& watcher) const;
  [[nodiscard]] bool answer(const FileDescriptor& watcher) const;

  const Program program_;
  const std::function<void(bool)> watched_;
  const Answer answer_;
  FileDescriptor folder_, listener_, stop_;
  std::vector<FileDescriptor> watchers_;  // used by the thread
  std::thread thread_;
};

}  // namespace runahead::link
