// `runahead record`: starts a program and reports the result of its recording. The program makes the
// recording itself: either it uses the library (as the workloads do), or CUDA loads the library into the
// program.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "gui/cli/child_process.h"
#include "gui/cli/output.h"
#include "gui/cli/run_report.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/module_file.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/record/files/file_names.h"
#include "instrumentation/record/files/record_request.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using record::Note;
using record::NoteKind;

struct RecordCommand {
  std::string out;
  LimitWords limits;
  std::vector<std::string> words;
};

// The file in which recording processes report what they record. It is deleted when the command ends. A
// process that cannot open this file does not start a recording. Therefore a process that lives longer than
// the command starts no further recording.
class NotesFile {
 public:
  NotesFile() {
    std::error_code none;
    path_ = (fs::temp_directory_path(none) / "runahead-notes-XXXXXX").string();
    FileDescriptor made(::mkostemp(path_.data(), O_CLOEXEC));
    if (!made.valid()) error_ = std::strerror(errno);
  }
  ~NotesFile() {
    if (error_.empty()) ::unlink(path_.c_str());
  }
  NotesFile(const NotesFile&) = delete;
  NotesFile& operator=(const NotesFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // empty: the file was created

 private:
  std::string path_, error_;
};

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string losses_in_words(const trace::Trace& trace) {
  const trace::LossCounts& losses = trace.losses();
  std::string words;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0 || cause == trace::LossCause::kEvicted) continue;
    words += (words.empty() ? "lost: " : ", ") + std::to_string(losses.of(cause)) + " " +
             std::string(trace::loss_key(cause));
  }
  if (is_cut_off(trace))
    words += (words.empty() ? "" : "; ") + std::string("cut off, rows after its last block are unknown");
  if (words.empty()) words = "nothing lost";
  // Rows are evicted only at the user's request, so evicted rows do not count as lost.
  const std::uint64_t evicted = losses.of(trace::LossCause::kEvicted);
  return evicted == 0 ? words : words + ", " + std::to_string(evicted) + " older rows evicted";
}

// Returns a text such as "a.runahead: 120 slices on 5 tracks, nothing lost, 12.3 kB".
std::string recording_in_words(const fs::path& file) {
  const Result<trace::Trace> trace = recordings::open_recording(file);
  if (!trace) return trace.error().message;
  const trace::TraceCounts counts = trace->counts();
  std::error_code none;
  std::string words = file.string() + ": " + counted(counts.slices, "slice") + " on " +
                      counted(counts.tracks, "track") + ", " + losses_in_words(*trace) + ", " +
                      format_bytes(static_cast<double>(fs::file_size(file, none)));
  return words;
}

std::vector<const Note*> of_kind(const std::vector<Note>& notes, NoteKind kind) {
  std::vector<const Note*> found;
  for (const Note& note : notes) {
    if (note.kind == kind) found.push_back(&note);
  }
  return found;
}

// Returns the files that a process wrote under the given name: a single file, or the part files that are not
// in `before`.
std::vector<fs::path> files_of(const fs::path& name, const std::set<fs::path>& before) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const fs::path& part : record::part_files(name)) {
    if (!before.contains(part)) files.push_back(part);
  }
  if (files.empty() && fs::exists(name, none)) files.push_back(name);
  return files;
}

// Returns the files of each process that began a recording.
std::vector<std::vector<fs::path>> recorded_files(const std::vector<Note>& notes,
                                                  const std::set<fs::path>& before) {
  std::vector<std::vector<fs::path>> files;
  for (const Note* note : of_kind(notes, NoteKind::kRecords)) {
    const bool begun = std::none_of(notes.begin(), notes.end(), [&](const Note& other) {
      return other.kind == NoteKind::kNotBegun && other.pid == note->pid;
    });
    std::vector<fs::path> left = begun ? files_of(note->text, before) : std::vector<fs::path>();
    if (!left.empty()) files.push_back(std::move(left));
  }
  return files;
}

std::string without_recording(const RecordCommand& command, const std::vector<Note>& notes) {
  const std::string said = "'" + command.words[0] + "' recorded nothing: ";
  const std::vector<const Note*> failures = of_kind(notes, NoteKind::kNotBegun);
  if (!failures.empty()) return said + failures.front()->text;
  return said +
         "neither it nor a program that it started uses the public API (librunahead, docs/api.md) or CUDA, "
         "or "
         "is a `runahead run` or `gui`";
}

double bytes_of(const std::vector<fs::path>& files) {
  std::error_code none;
  double bytes = 0;
  for (const fs::path& file : files) bytes += static_cast<double>(fs::file_size(file, none));
  return bytes;
}

// Lists the files of all recorded processes except the first. Names the files of at most three processes.
std::string others_in_words(const std::vector<std::vector<fs::path>>& files) {
  constexpr std::size_t kNamed = 3;
  std::string words =
      std::to_string(files.size() - 1) + (files.size() == 2 ? " more process: " : " more processes: ");
  for (std::size_t i = 1; i < files.size() && i <= kNamed; ++i)
    words += (i > 1 ? ", " : "") + files_in_words(files[i]);
  return words + (files.size() - 1 > kNamed ? ", ..." : "");
}

// The library that CUDA loads into the program. This is our library, unless our library is missing or the
// environment already names another library.
struct Injection {
  std::string library;      // empty: our library was not found
  bool of_another = false;  // true: the environment already names a library
};

Injection find_injection() {
  if (const char* const named = std::getenv(record::kInjectionVariable); named != nullptr && *named != '\0')
    return {.of_another = true};
  const auto found = find_beside_program(record::kInjectionFile, RUNAHEAD_BUILD_FOLDER);
  return {.library = found ? found->string() : std::string()};
}

// Returns the last part of the command's report line. This part says whether the recording contains the GPU's
// activity, and if not, why.
std::string about_cuda(const Injection& injection, const std::vector<Note>& notes) {
  if (injection.of_another) {
    return std::string("; ") + record::kInjectionVariable +
           " was set already, to another profiler's library, so a GPU's activity is not in it";
  }
  for (const Note* note : of_kind(notes, NoteKind::kCuda)) {
    if (!note->text.empty()) return "; the GPU's activity is not in it: " + note->text;
  }
  if (!of_kind(notes, NoteKind::kCuda).empty()) {
    std::string words = "; the GPU's activity is in it";
    for (const Note* note : of_kind(notes, NoteKind::kCudaRefused)) words += ", without " + note->text;
    return words;
  }
  if (injection.library.empty() || !of_kind(notes, NoteKind::kOwnCuda).empty()) return "";
  return "; no CUDA was seen";
}

std::string what_was_recorded(const Injection& injection, const std::vector<std::vector<fs::path>>& files,
                              const std::vector<Note>& notes) {
  const std::vector<fs::path>& first = files.front();
  std::string words = "recorded ";
  if (first.size() > 1)
    words += files_in_words(first) + ", " + format_bytes(bytes_of(first)) + "; the last of them ";
  words += recording_in_words(first.back());
  if (files.size() > 1) words += "; " + others_in_words(files);
  for (const Note* note : of_kind(notes, NoteKind::kFailed)) words += "; " + note->text;
  for (const Note* note : of_kind(notes, NoteKind::kOwnFile))
    words += "; the program's own recording '" + note->text + "' was not written, all is in this one";
  if (const std::size_t forked = of_kind(notes, NoteKind::kForgotten).size(); forked > 0)
    words += "; " + std::to_string(forked) + (forked == 1 ? " forked process" : " forked processes") +
             " not recorded";
  return words + about_cuda(injection, notes);
}

Outcome report(const RecordCommand& command, const Injection& injection, const ChildEnd& end,
               const std::vector<Note>& notes, const std::set<fs::path>& before) {
  const std::vector<std::vector<fs::path>> files = recorded_files(notes, before);
  const bool failed = files.empty() || !of_kind(notes, NoteKind::kFailed).empty();
  std::string words =
      files.empty() ? without_recording(command, notes) : what_was_recorded(injection, files, notes);
  if (end.signal != 0) {
    words = "'" + command.words[0] + "' was ended by signal " + std::to_string(end.signal) + " (" +
            strsignal(end.signal) + "); " + words;
  }
  return {end.exit_code != 0 || !failed ? end.exit_code : kExitRefused, std::move(words)};
}

Outcome record_program(const RecordCommand& command) {
  if (command.out.empty()) return wrong_words("-o needs the name of a file, such as -o run.runahead");
  const Result<record::FileLimits> limits =
      record::parse_limits(command.limits.rotate, command.limits.keep_last);
  if (!limits) return wrong_words(limits.error());
  if (const Status possible = check_writable(Destination::kRecording, command.out); !possible)
    return refused(possible.error());
  std::error_code no_folder;
  const fs::path file = fs::absolute(command.out, no_folder);  // the program may change its working directory
  if (no_folder)
    return refused(file_error("recording", command.out, "the working directory is gone; change to another"));
  const NotesFile notes;
  if (!notes.error().empty())
    return refused("'" + notes.path() + "': cannot be made, set TMPDIR to a place for it: " + notes.error());
  const std::vector<fs::path> parts = record::part_files(file);
  const Injection injection = find_injection();
  std::map<std::string, std::string> environment{{record::kRecordVariable, file.string()},
                                                 {record::kRotateVariable, command.limits.rotate},
                                                 {record::kKeepLastVariable, command.limits.keep_last},
                                                 {record::kNotesVariable, notes.path()}};
  if (!injection.library.empty()) environment[record::kInjectionVariable] = injection.library;
  const Result<ChildEnd> end = run_child(command.words, environment);
  if (!end) return refused(end.error());
  return report(command, injection, *end, record::read_notes(notes.path()), {parts.begin(), parts.end()});
}

}  // namespace

void add_record_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "record",
      "Start a program that uses CUDA or the public API and record it: record -o FILE -- COMMAND...");
  auto words = std::make_shared<RecordCommand>();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  add_limit_words(*command, words->limits);
  command->add_option("command", words->words, "The program and its arguments, after --")->required();
  command->callback([=, &chosen] { chosen = [=] { return record_program(*words); }; });
}

}  // namespace runahead::gui
