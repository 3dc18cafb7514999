#include "instrumentation/record/files/record_request.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/record/files/file_names.h"

namespace runahead::record {
namespace {

std::string variable(const char* name) {
  const char* const text = ::secure_getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

// A note: its kind, the process number, a blank, the text, and a zero byte, which no path contains.
std::string encoded(NoteKind kind, std::string_view text) {
  std::string note(1, static_cast<char>(kind));
  note += std::to_string(::getpid());
  note += ' ';
  note += text.substr(0, text.find('\0'));
  return note += '\0';
}

std::vector<Note> decoded(std::string_view bytes) {
  std::vector<Note> notes;
  for (std::size_t end = 0; (end = bytes.find('\0')) != std::string_view::npos;
       bytes.remove_prefix(end + 1)) {
    const std::string_view line = bytes.substr(0, end);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    Note note{.kind = static_cast<NoteKind>(line[0]), .pid = 0, .text = std::string(line.substr(blank + 1))};
    std::from_chars(line.data() + 1, line.data() + blank, note.pid);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string contents(const FileDescriptor& file) {
  std::string bytes;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(file.get(), buffer.data(), buffer.size())) > 0;) {
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return bytes;
}

// The note goes out in one write, so that the notes of several processes do not mix.
bool append(const FileDescriptor& file, const std::string& note) {
  return ::write(file.get(), note.data(), note.size()) == static_cast<ssize_t>(note.size());
}

std::filesystem::path with_process_number(std::string text) {
  const std::string number = std::to_string(::getpid());
  for (std::size_t at = 0; (at = text.find("%p", at)) != std::string::npos; at += number.size()) {
    text.replace(at, 2, number);
  }
  return text;
}

// FILE for the first process that records, FILE.pidN for each other process. If a process becomes another
// program (exec), the file names that it claimed before stay claimed. The new program then gets FILE.pidN or
// FILE.pidN-2, and so on.
std::filesystem::path unclaimed(const std::filesystem::path& file, const std::vector<Note>& notes) {
  const auto claimed = [&](const std::filesystem::path& path) {
    return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
      return note.kind == NoteKind::kRecords && note.text == path.string();
    });
  };
  std::filesystem::path name = file;
  const std::string number = std::to_string(::getpid());
  for (int turn = 1; claimed(name); ++turn) {
    name = name_beside(file, "pid" + number + (turn == 1 ? "" : "-" + std::to_string(turn)));
  }
  return name;
}

}  // namespace

Result<std::optional<RecordRequest>> take_record_request() {
  using Asked = std::optional<RecordRequest>;
  const std::string asked = variable(kRecordVariable);
  if (asked.empty()) return Asked{};
  const Result<FileLimits> limits = parse_limits(variable(kRotateVariable), variable(kKeepLastVariable));
  if (!limits) return limits.error();
  std::filesystem::path file = with_process_number(asked);
  const std::string notes = variable(kNotesVariable);
  if (notes.empty()) return Asked{RecordRequest{std::move(file), *limits}};
  const FileDescriptor told(::open(notes.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!told.valid()) return Asked{};
  (void)::flock(told.get(), LOCK_EX);  // unlocked when the file is closed
  file = unclaimed(file, decoded(contents(told)));
  if (!append(told, encoded(NoteKind::kRecords, file.string()))) return Asked{};
  return Asked{RecordRequest{std::move(file), *limits}};
}

void decline_injection() {
  if (!variable(kInjectionVariable).ends_with(kInjectionFile)) return;
  ::unsetenv(kInjectionVariable);
  leave_note(NoteKind::kOwnCuda, "");
}

bool leave_note(NoteKind kind, std::string_view text) {
  const std::string notes = variable(kNotesVariable);
  if (notes.empty()) return false;
  const FileDescriptor told(::open(notes.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  return told.valid() && append(told, encoded(kind, text));
}

std::vector<Note> read_notes(const std::filesystem::path& file) {
  const FileDescriptor told(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return told.valid() ? decoded(contents(told)) : std::vector<Note>{};
}

}  // namespace runahead::record
