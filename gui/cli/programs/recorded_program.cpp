#include "gui/cli/programs/recorded_program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "gui/cli/output.h"
#include "gui/cli/run_report.h"
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

// Returns a text such as "a.runahead: 120 slices on 5 tracks, nothing lost, 12.3 kB".
std::string recording_in_words(const fs::path& file) {
  const Result<trace::Trace> trace = recordings::open_recording(file);
  if (!trace) return trace.error().message;
  const trace::TraceCounts counts = trace->counts();
  std::error_code none;
  const auto processes = trace->metadata().find("processes");
  std::string words = file.string() + ": " +
                      (processes == trace->metadata().end()
                           ? ""
                           : processes->second + (processes->second == "1" ? " process, " : " processes, ")) +
                      counted(counts.slices, "slice") + " on " + counted(counts.tracks, "track") + ", " +
                      losses_in_words(*trace) + ", " +
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

std::string without_recording(const std::string& program, const std::vector<Note>& notes) {
  const std::string said = "'" + program + "' recorded nothing: ";
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
  std::string words = counted(files.size() - 1, "more process") + ": ";
  for (std::size_t i = 1; i < files.size() && i <= kNamed; ++i)
    words += (i > 1 ? ", " : "") + files_in_words(files[i]);
  return words + (files.size() - 1 > kNamed ? ", ..." : "");
}

CudaInjection find_injection() {
  if (const char* const named = std::getenv(record::kInjectionVariable); named != nullptr && *named != '\0')
    return {.of_another = true};
  const auto found = find_beside_program(record::kInjectionFile, RUNAHEAD_BUILD_FOLDER);
  return {.library = found ? found->string() : std::string()};
}

// Returns the last part of the command's report line. This part says whether the recording contains the GPU's
// activity, and if not, why.
std::string about_cuda(const CudaInjection& injection, const std::vector<Note>& notes) {
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

std::string what_was_recorded(const CudaInjection& injection, const std::vector<std::vector<fs::path>>& files,
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
    words += "; " + counted(forked, "forked process") + " not recorded";
  return words + about_cuda(injection, notes);
}

// Returns what the line says first if a signal ended the program.
std::string signal_in_words(const std::string& program, const ChildEnd& end) {
  if (end.signal == 0) return "";
  return "'" + program + "' was ended by signal " + std::to_string(end.signal) + " (" +
         strsignal(end.signal) + ")";
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

}  // namespace

std::string recording_name_for(const std::string& program) {
  const fs::path name = fs::path(program).filename();
  return (name.empty() ? "program" : name.string()) + ".runahead";
}

NotesFile::NotesFile() {
  std::error_code none;
  path_ = (fs::temp_directory_path(none) / "runahead-notes-XXXXXX").string();
  FileDescriptor made(::mkostemp(path_.data(), O_CLOEXEC));
  if (!made.valid()) error_ = std::strerror(errno);
}

NotesFile::~NotesFile() {
  if (error_.empty()) ::unlink(path_.c_str());
}

RecordedProgram::RecordedProgram(std::vector<std::string> words, fs::path file)
    : words_(std::move(words)), file_(std::move(file)), injection_(find_injection()) {
  const std::vector<fs::path> parts = record::part_files(file_);
  parts_before_ = {parts.begin(), parts.end()};
}

Result<std::unique_ptr<RecordedProgram>> RecordedProgram::prepare(std::vector<std::string> words,
                                                                  const std::string& out) {
  if (const Status possible = check_writable(Destination::kRecording, out); !possible)
    return possible.error();
  std::error_code no_folder;
  const fs::path file = fs::absolute(out, no_folder);  // the program may change its working directory
  if (no_folder) return file_error("recording", out, "the working directory is gone; change to another");
  std::unique_ptr<RecordedProgram> program(new RecordedProgram(std::move(words), file));
  const NotesFile& notes = program->notes_;
  if (!notes.error().empty())
    return Error{"'" + notes.path() + "': cannot be made, set TMPDIR to a place for it: " + notes.error()};
  return program;
}

std::map<std::string, std::string> RecordedProgram::environment(const LimitWords& limits) const {
  std::map<std::string, std::string> environment{{record::kRecordVariable, file_.string()},
                                                 {record::kRotateVariable, limits.rotate},
                                                 {record::kKeepLastVariable, limits.keep_last},
                                                 {record::kNotesVariable, notes_.path()}};
  if (!injection_.library.empty()) environment[record::kInjectionVariable] = injection_.library;
  return environment;
}

std::vector<fs::path> RecordedProgram::recordings() const {
  std::vector<fs::path> all;
  for (const std::vector<fs::path>& files : recorded_files(record::read_notes(notes_.path()), parts_before_))
    all.insert(all.end(), files.begin(), files.end());
  return all;
}

Outcome RecordedProgram::report(const ChildEnd& end) const {
  const std::vector<Note> notes = record::read_notes(notes_.path());
  const std::vector<std::vector<fs::path>> files = recorded_files(notes, parts_before_);
  const bool failed = files.empty() || !of_kind(notes, NoteKind::kFailed).empty();
  const std::string recorded =
      files.empty() ? without_recording(words_[0], notes) : what_was_recorded(injection_, files, notes);
  return {end.exit_code != 0 || !failed ? end.exit_code : kExitRefused,
          joined(signal_in_words(words_[0], end), recorded)};
}

Outcome RecordedProgram::report_of_failure(const ChildEnd& end) const {
  const std::vector<Note> notes = record::read_notes(notes_.path());
  std::string failure;
  if (recorded_files(notes, parts_before_).empty()) failure = without_recording(words_[0], notes);
  for (const Note* note : of_kind(notes, NoteKind::kFailed)) failure = joined(failure, note->text);
  return {end.exit_code != 0 || failure.empty() ? end.exit_code : kExitRefused,
          joined(signal_in_words(words_[0], end), failure)};
}

fs::path free_name_beside(const fs::path& recording, const std::string& word) {
  std::error_code none;
  fs::path name = record::name_beside(recording, word);
  for (int turn = 2; fs::exists(name, none); ++turn)
    name = record::name_beside(recording, word + "-" + std::to_string(turn));
  return name;
}

}  // namespace runahead::gui
