// The joiner: a process of `runahead live` and `attach` that joins the recordings of several processes while
// they grow. For `live`, it reads from the notes (record_request.h) which processes of the program record. If
// the program records itself, alone, the joiner does nothing. As soon as a second process records, or if the
// program only starts others (mpirun, torchrun), the joiner writes the joined recording. `attach` gives it
// the recordings. It offers the controls of all processes at a port, so the window and the other commands see
// one program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/round_trip.h"

namespace runahead::gui {

// A recording that grows, and the process that writes it.
struct GrowingRecording {
  pid_t writer = 0;  // has a port (ProgramLink); 0: unknown
  std::filesystem::path file;
  // Between the machine of the program and this one, so far. Empty: it runs here, or this is not known.
  std::vector<link::RoundTrip> trips;
};

struct JoinerOptions {
  // The recordings to join, at least two; the first one gives the time. Empty: `notes`, `program` and `since`
  // say which processes record.
  std::vector<GrowingRecording> recordings;
  std::string notes;             // the file with the notes of the processes
  std::filesystem::path joined;  // the file to write
  std::string command;           // the program and its arguments, for watchers
  pid_t program = 0;             // the process that the command started
  // A recording that was changed last before this time is an older one with the same name.
  std::filesystem::file_time_type since;
  std::int64_t clock_offset_ns = 0, clock_error_ns = 0;  // of the first recording (link::Program)
};

// A time for JoinerOptions::since. The clock of a file system may be a little behind.
[[nodiscard]] inline std::filesystem::file_time_type now_in_file_times() {
  return std::filesystem::file_time_type::clock::now() - std::chrono::milliseconds(20);
}
// The words of a command with blanks between them.
[[nodiscard]] inline std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// What the joiner says about the program's processes.
enum class Processes {
  kNone,  // no process has recorded, and the program has ended
  kOne,   // the program itself records, and no other process so far
  kMany   // the joined recording exists
};

struct JoinedRecordings {
  std::size_t processes = 0;  // 0: there is no joined recording
  // The recordings that their processes have ended, and whose rows are all in the joined recording.
  std::vector<std::filesystem::path> whole;
};

// Only one thread may use it. REQUIRES of start(): the process has one thread.
class Joiner {
 public:
  [[nodiscard]] static Result<Joiner> start(const JoinerOptions& options);
  Joiner(Joiner&& other) noexcept
      : process_(std::exchange(other.process_, 0)),
        stop_(std::move(other.stop_)),
        said_(std::move(other.said_)),
        last_line_(std::move(other.last_line_)),
        whole_(std::move(other.whole_)),
        said_so_far_(other.said_so_far_) {}
  Joiner& operator=(Joiner&&) = delete;
  ~Joiner();  // stops

  // Waits until it is known which processes record. After kOne, a second call waits until the program has
  // ended (kNone), or until a second process records (kMany). Error: the joined recording cannot be written.
  // `stopped` (may be empty; asked from time to time) ends the waiting with an error.
  [[nodiscard]] Result<Processes> wait_for_processes(const std::function<bool()>& stopped = {});
  // What the joiner has said so far. Does not wait. kNone: nothing yet.
  [[nodiscard]] Processes processes_now();
  // Waits until the program and all its recording processes have ended. If `stopped` (may be empty; asked
  // from time to time) is true, the joined recording ends now, and the processes go on. Error: the joined
  // recording could not be written to its end; the recordings of the processes are whole.
  [[nodiscard]] Result<JoinedRecordings> wait(const std::function<bool()>& stopped = {});
  // Ends the joined recording now. The processes go on.
  void stop();

 private:
  Joiner(pid_t process, FileDescriptor stop, FileDescriptor said)
      : process_(process), stop_(std::move(stop)), said_(std::move(said)) {}
  [[nodiscard]] std::string read_line();
  void wait_for_process();

  pid_t process_ = 0;
  FileDescriptor stop_, said_;
  std::string last_line_;                     // the last line that the joiner says
  std::vector<std::filesystem::path> whole_;  // see JoinedRecordings
  Processes said_so_far_ = Processes::kNone;
};

}  // namespace runahead::gui
