// Spool: the folder of a program that an agent has started (agent.h). The program writes its recording there,
// also while nobody is connected. So nothing is lost when the link breaks.
//
// Files: the recordings (see recording(); other processes of the program write program.pidN.runahead), out
// and errors (what the program prints), running (locked while the process beside the program lives), end
// (exit code and signal), kept (see keep()).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/programs/child_process.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

class Spool {
 public:
  // Makes a new folder in TMPDIR or /tmp. Only this user can open it. Removes the folders of this user whose
  // program has ended a day ago: nobody came back for them.
  [[nodiscard]] static Result<Spool> make();
  // Opens the folder of an earlier agent. Error: there is no such folder, or it is not such a folder.
  [[nodiscard]] static Result<Spool> open(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // What the agent sends: a second name of one of the two below. If it is the program's own recording, and
  // another process records later, the agent sends of_all() from then on, a second name of joined().
  [[nodiscard]] std::filesystem::path recording() const { return folder_ / "recording.runahead"; }
  [[nodiscard]] std::filesystem::path of_all() const { return folder_ / "all.runahead"; }
  [[nodiscard]] std::filesystem::path of_program() const { return folder_ / "program.runahead"; }
  [[nodiscard]] std::filesystem::path joined() const { return folder_ / "joined.runahead"; }  // see Joiner
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "out"; }
  [[nodiscard]] std::filesystem::path errors() const { return folder_ / "errors"; }

  // Locks the file that says that the program runs. The lock ends with the process.
  [[nodiscard]] FileDescriptor lock_running() const;
  void set_end(const ChildEnd& end) const;
  // nullopt: the program runs. If the process beside it was killed, the exit code is 1.
  [[nodiscard]] std::optional<ChildEnd> end() const;
  void remove() const;
  // The recordings of the processes stay, because the joined one is not whole. Until a day after the end.
  void keep() const;
  [[nodiscard]] bool is_kept() const;

 private:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

// SpoolTrim: bounds the disk space of a recording that is still written. If the file takes more than the
// limit, it frees the oldest blocks of rows. The offsets of the file do not change. A reader counts the freed
// bytes as damaged. Blocks of definitions are never freed.
class SpoolTrim {
 public:
  SpoolTrim(std::filesystem::path recording, std::uint64_t limit_bytes)
      : recording_(std::move(recording)), limit_bytes_(limit_bytes) {}
  void trim();  // call it from time to time

 private:
  struct Block {
    std::uint64_t payload = 0, end = 0;  // offsets
    bool may_go = false;
  };
  [[nodiscard]] std::optional<Block> next_block(int fd, std::uint64_t size) const;

  const std::filesystem::path recording_;
  const std::uint64_t limit_bytes_;
  std::uint64_t at_ = 0;   // offset of the next block's header; 0: the preamble was not read yet
  std::uint64_t run_ = 0;  // where the blocks begin that may be freed together with the next one; 0: none
};

// Starts the program in a new session, with a process that waits for its end and trims its recordings. If
// several processes record, this process joins them. If the program fails or records nothing, this process
// adds a line to `errors` that says why. Both go on when the agent ends. Error: the program cannot be
// started. REQUIRES: this process has one thread.
[[nodiscard]] Status start_in_spool(const Spool& spool, const std::vector<std::string>& words,
                                    std::uint64_t limit_bytes);

}  // namespace runahead::gui
