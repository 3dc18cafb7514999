// Several programs that record now, here or on other machines, on one timeline: `attach SOURCE --with
// SOURCE`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/programs/joiner.h"
#include "gui/cli/remote/bridge.h"
#include "gui/cli/remote/remote_program.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/scratch_folder.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {

// Only one thread may use it. REQUIRES: the process has one thread.
class SeveralSources {
 public:
  // `stopped`: the user wants to stop.
  SeveralSources(RemoteWords remote, std::function<bool()> stopped)
      : remote_(std::move(remote)), stopped_(std::move(stopped)), scratch_("runahead-attach") {}
  ~SeveralSources();
  SeveralSources(const SeveralSources&) = delete;
  SeveralSources& operator=(const SeveralSources&) = delete;

  // Checks sources as far as possible without a connection to another machine. Error: no program of this
  // machine records there, a word is no source, a source is given twice, or `out` (may be empty) is a
  // recording of them.
  [[nodiscard]] static Status check(const std::vector<std::string>& words, const std::filesystem::path& out);
  // Adds a source. The first one gives the time. A program on another machine is copied from now on (Bridge).
  // Errors: as check(), and what ssh says.
  [[nodiscard]] Status add(const std::string& word);
  // Adds the copy that a bridge writes.
  [[nodiscard]] Status add_copy(const std::filesystem::path& copy);

  // Starts to join the sources, and waits until the joined recording has begun. out: the file to write;
  // empty: a temporary file. Errors: a recording cannot be read, or the joined one cannot be written.
  [[nodiscard]] Status join(const std::filesystem::path& out);
  [[nodiscard]] const std::filesystem::path& joined() const { return joined_; }
  // Ends the joined recording. The programs go on. Error: a part of it could not be written, or a copy of a
  // recording on another machine could not be made to its end.
  [[nodiscard]] Status end();

 private:
  [[nodiscard]] Status add_remote(const std::string& word);
  [[nodiscard]] Status add_recording(GrowingRecording recording, const link::Program& program);

  const RemoteWords remote_;
  const std::function<bool()> stopped_;
  ScratchFolder scratch_;  // for the copies
  std::vector<Bridge> bridges_;
  std::vector<GrowingRecording> recordings_;
  std::string commands_;                                   // of the programs
  std::int64_t clock_offset_ns_ = 0, clock_error_ns_ = 0;  // of the first one
  std::filesystem::path joined_;
  std::optional<Joiner> joiner_;
};

}  // namespace runahead::gui
