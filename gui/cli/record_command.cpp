// `runahead record`: starts a program that records itself, by its library or as ours do, and says what came
// of it.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <memory>

#include "gui/cli/child_process.h"
#include "gui/cli/commands.h"
#include "gui/cli/output.h"
#include "instrumentation/base/format.h"
#include "instrumentation/record/record_request.h"
#include "instrumentation/trace/io/posix_file.h"
#include "instrumentation/trace/io/recording.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using record::Note;
using record::NoteKind;

struct RecordCommand {
  std::string out;
  std::vector<std::string> words;
};

// Where the processes that record say so; gone at the end, so that one that is still there starts no more.
class NotesFile {
 public:
  NotesFile() {
    std::error_code none;
    path_ = (fs::temp_directory_path(none) / "runahead-notes-XXXXXX").string();
    trace::io::FileDescriptor made(::mkostemp(path_.data(), O_CLOEXEC));
    if (!made.valid()) error_ = std::strerror(errno);
  }
  ~NotesFile() {
    if (error_.empty()) ::unlink(path_.c_str());
  }
  NotesFile(const NotesFile&) = delete;
  NotesFile& operator=(const NotesFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // empty: there is one

 private:
  std::string path_, error_;
};

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string losses_in_words(const trace::LossCounts& losses) {
  std::string words;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0) continue;
    words += (words.empty() ? "lost: " : ", ") + std::to_string(losses.of(cause)) + " " +
             std::string(trace::loss_key(cause));
  }
  return words.empty() ? "nothing lost" : words;
}

// "a.runahead: 120 slices on 5 tracks, nothing lost, 12.3 kB".
std::string recording_in_words(const std::string& file) {
  const Result<trace::Trace> trace = trace::io::load_recording(file);
  if (!trace) return trace.error().message;
  const trace::TraceCounts counts = trace->counts();
  std::error_code none;
  std::string words = file + ": " + counted(counts.slices, "slice") + " on " +
                      counted(counts.tracks, "track") + ", " + losses_in_words(trace->losses()) + ", " +
                      format_bytes(static_cast<double>(fs::file_size(file, none)));
  const auto ended = trace->metadata().find("recording.ended");
  if (ended != trace->metadata().end() && ended->second == "no")
    words += ", cut off (what was written opens)";
  return words;
}

std::vector<const Note*> of_kind(const std::vector<Note>& notes, NoteKind kind) {
  std::vector<const Note*> found;
  for (const Note& note : notes) {
    if (note.kind == kind) found.push_back(&note);
  }
  return found;
}

// The files that were begun.
std::vector<std::string> recorded_files(const std::vector<Note>& notes) {
  std::vector<std::string> files;
  for (const Note* note : of_kind(notes, NoteKind::kRecords)) {
    const bool begun = std::none_of(notes.begin(), notes.end(), [&](const Note& other) {
      return other.kind == NoteKind::kNotBegun && other.pid == note->pid;
    });
    std::error_code none;
    if (begun && fs::exists(note->text, none)) files.push_back(note->text);
  }
  return files;
}

std::string without_recording(const RecordCommand& command, const std::vector<Note>& notes) {
  const std::string said = "'" + command.words[0] + "' recorded nothing: ";
  const std::vector<const Note*> failures = of_kind(notes, NoteKind::kNotBegun);
  if (!failures.empty()) return said + failures.front()->text;
  return said +
         "neither it nor a program that it started uses the public API (librunahead, docs/api.md) or is a "
         "`runahead run` or `gui`";
}

// Those of further processes: some by name.
std::string others_in_words(const std::vector<std::string>& files) {
  constexpr std::size_t kNamed = 3;
  std::string words =
      std::to_string(files.size() - 1) + (files.size() == 2 ? " more process: " : " more processes: ");
  for (std::size_t i = 1; i < files.size() && i <= kNamed; ++i) words += (i > 1 ? ", " : "") + files[i];
  if (files.size() - 1 > kNamed) words += ", ...";
  return words;
}

std::string what_was_recorded(const std::vector<std::string>& files, const std::vector<Note>& notes) {
  std::string words = "recorded " + recording_in_words(files.front());
  if (files.size() > 1) words += "; " + others_in_words(files);
  for (const Note* note : of_kind(notes, NoteKind::kFailed)) words += "; " + note->text;
  for (const Note* note : of_kind(notes, NoteKind::kOwnFile))
    words += "; the program's own recording '" + note->text + "' was not written, all is in this one";
  if (const std::size_t forked = of_kind(notes, NoteKind::kForgotten).size(); forked > 0)
    words += "; " + std::to_string(forked) + (forked == 1 ? " forked process" : " forked processes") +
             " not recorded";
  return words;
}

Outcome report(const RecordCommand& command, const ChildEnd& end, const std::vector<Note>& notes) {
  const std::vector<std::string> files = recorded_files(notes);
  const bool failed = files.empty() || !of_kind(notes, NoteKind::kFailed).empty();
  std::string words = files.empty() ? without_recording(command, notes) : what_was_recorded(files, notes);
  if (end.signal != 0) {
    words = "'" + command.words[0] + "' was ended by signal " + std::to_string(end.signal) + " (" +
            strsignal(end.signal) + "); " + words;
  }
  return {end.exit_code != 0 || !failed ? end.exit_code : kExitRefused, std::move(words)};
}

Outcome record_program(const RecordCommand& command) {
  const fs::path file = fs::absolute(command.out);  // the program may change its folder
  const Status possible = trace::io::check_destination(trace::io::Destination::kRecording, command.out);
  if (!possible) return refused(possible.error());
  const NotesFile notes;
  if (!notes.error().empty())
    return refused("'" + notes.path() + "': cannot be made, set TMPDIR to a place for it: " + notes.error());
  const Result<ChildEnd> end = run_child(
      command.words, {{record::kRecordVariable, file.string()}, {record::kNotesVariable, notes.path()}});
  if (!end) return refused(end.error());
  return report(command, *end, record::read_notes(notes.path()));
}

}  // namespace

void add_record_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "record", "Start a program that uses the public API and record it: record -o FILE -- COMMAND...");
  auto words = std::make_shared<RecordCommand>();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  command->add_option("command", words->words, "The program and its words, after --")->required();
  command->callback([=, &chosen] { chosen = [=] { return record_program(*words); }; });
}

}  // namespace runahead::gui
