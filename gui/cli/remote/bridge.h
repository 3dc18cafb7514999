// The bridge: our end of `runahead attach ssh://...`, in a process of its own. It runs the ssh client, stores
// the recording that the agent sends in a file here (the mirror), and offers the program's controls at a
// port, as the program itself would on its machine. So the window and the other commands see a program of
// this machine. If the link breaks, the bridge connects again, and the recording continues where it stopped.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/cli/programs/child_process.h"
#include "gui/cli/remote/ssh_address.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

struct BridgeOptions {
  SshWords ssh;
  std::vector<std::string> words;  // the program to start there; empty: ssh.address.pid records there
  std::string spool;               // the limit of the spool, as text; empty: the agent's default
  std::filesystem::path mirror;    // the file to write
  std::filesystem::path joined;    // the file for the joined recording; empty: it is not wanted
  bool output_to_stderr = false;   // what the program prints on stdout
};

// Only one thread may use it. REQUIRES of start(): the process has one thread.
class Bridge {
 public:
  // Starts the bridge, and waits until it has the first bytes of the recording, or until the program has
  // ended without a recording (ended_early()). Error: ssh or the agent failed, or `stopped`.
  [[nodiscard]] static Result<Bridge> start(const BridgeOptions& options,
                                            const std::function<bool()>& stopped);
  Bridge(Bridge&& other) noexcept
      : process_(std::exchange(other.process_, 0)),
        stop_(std::move(other.stop_)),
        said_(std::move(other.said_)),
        last_line_(std::move(other.last_line_)),
        joined_(other.joined_),
        ended_early_(other.ended_early_) {}
  Bridge& operator=(Bridge&&) = delete;
  ~Bridge();  // stops

  // True if another process of the program records too, and BridgeOptions::joined has all rows so far. From
  // then on, only this file grows. Does not wait.
  [[nodiscard]] bool joined_now();
  // Waits until joined_now() is true, or the program has ended (false), or `stopped` (false).
  [[nodiscard]] bool wait_for_joined(const std::function<bool()>& stopped);

  // The program ended and recorded nothing. Then there is no copy.
  [[nodiscard]] const std::optional<ChildEnd>& ended_early() const { return ended_early_; }

  // Both return the end of the program; nullopt: it goes on there. Error: the copy could not be written, or
  // the other side is no agent, or it has lost the recording.
  [[nodiscard]] Result<std::optional<ChildEnd>> stop();
  // Waits until the program has ended, or until `stopped` says so (then as stop()). Call it if the recording
  // has ended: the program ends soon after it, or runs on without a recording.
  [[nodiscard]] Result<std::optional<ChildEnd>> wait_for_end(const std::function<bool()>& stopped);

 private:
  Bridge(pid_t process, FileDescriptor stop, FileDescriptor said)
      : process_(process), stop_(std::move(stop)), said_(std::move(said)) {}
  // Reads a line that the bridge says. Empty: the bridge has ended, or `stopped`.
  [[nodiscard]] std::string read_any_line(const std::function<bool()>& stopped) const;
  // As read_any_line(), except for "joined", which is only noted.
  [[nodiscard]] std::string read_line(const std::function<bool()>& stopped = {});
  [[nodiscard]] Result<std::optional<ChildEnd>> finish(const std::string& last_line);

  pid_t process_ = 0;
  FileDescriptor stop_, said_;
  std::string last_line_;  // was read, and is for the next read_line()
  bool joined_ = false;
  std::optional<ChildEnd> ended_early_;
};

}  // namespace runahead::gui
