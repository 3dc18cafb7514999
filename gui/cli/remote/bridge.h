// The bridge: our end of `runahead attach ssh://...`, in a process of its own. It runs the ssh client, stores
// the recording that the agent sends in a file here (the mirror), and offers the program's controls at a
// port, as the program itself would on its machine. So the window and the other commands see a program of
// this machine. If the link breaks, the bridge connects again, and the recording continues where it stopped.
#pragma once

#include <sys/types.h>

#include <filesystem>
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
  bool output_to_stderr = false;   // what the program prints on stdout
};

// Only one thread may use it. REQUIRES of start(): the process has one thread.
class Bridge {
 public:
  // Starts the bridge, and waits until it has the first bytes of the recording. Error: ssh or the agent
  // failed.
  [[nodiscard]] static Result<Bridge> start(const BridgeOptions& options);
  Bridge(Bridge&& other) noexcept
      : process_(std::exchange(other.process_, 0)),
        stop_(std::move(other.stop_)),
        said_(std::move(other.said_)) {}
  Bridge& operator=(Bridge&&) = delete;
  ~Bridge();  // as stop()

  // Both return the end of the program; nullopt: it goes on there, or the link could not be restored.
  [[nodiscard]] std::optional<ChildEnd> stop();
  // Waits until the program has ended. Call it if the recording has ended: the program ends soon after it.
  [[nodiscard]] std::optional<ChildEnd> wait_for_end();

 private:
  Bridge(pid_t process, FileDescriptor stop, FileDescriptor said)
      : process_(process), stop_(std::move(stop)), said_(std::move(said)) {}
  [[nodiscard]] std::string read_line() const;
  [[nodiscard]] std::optional<ChildEnd> finish(const std::string& last_line);

  pid_t process_ = 0;
  FileDescriptor stop_, said_;
};

}  // namespace runahead::gui
