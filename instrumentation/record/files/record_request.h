// What the environment asks a program to do: to record itself, from its start to its end. `runahead record`
// asks so; a person may too. Programs that use the public API answer by their library, ours by themselves.
//
//   RUNAHEAD_RECORD        the file; %p in it is the number of the process
//   RUNAHEAD_RECORD_ROTATE, RUNAHEAD_RECORD_KEEP_LAST
//                          how much a file holds, or how much of the end is kept: a size or a time
//                          (file_limits.h)
//   RUNAHEAD_RECORD_NOTES  a file to which processes append what they did, for the one that asked; with it,
//                          the first process that records gets the file itself and each other one FILE.pidN,
//                          so that none overwrites another's
//
// A program that runs with more rights than its caller (setuid) is asked nothing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/record/files/file_limits.h"

namespace runahead::record {

inline constexpr const char* kRecordVariable = "RUNAHEAD_RECORD";
inline constexpr const char* kRotateVariable = "RUNAHEAD_RECORD_ROTATE";
inline constexpr const char* kKeepLastVariable = "RUNAHEAD_RECORD_KEEP_LAST";
inline constexpr const char* kNotesVariable = "RUNAHEAD_RECORD_NOTES";
// CUDA's own: a library that it loads into any process that it starts in. `runahead record` names ours.
inline constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";
inline constexpr const char* kInjectionFile = "librunahead_injection.so";

struct RecordRequest {
  std::filesystem::path file;
  FileLimits limits;
};

// The request to this process; nullopt: there is none, or who asked has gone. Error: its words are wrong.
// Each call claims a file of its own: a process that records once calls it once.
[[nodiscard]] Result<std::optional<RecordRequest>> take_record_request();

// For a program of ours, which records itself and what it does on a GPU: CUDA is not to load our injection
// library, which would begin a second recording. While the process has one thread.
void decline_injection();

enum class NoteKind : char {
  kRecords = 'R',      // text: the file
  kNotBegun = 'N',     // text: why that file was not begun
  kFailed = 'E',       // text: what went wrong later
  kOwnFile = 'O',      // text: a file that the program itself wanted to record into, and did not
  kCuda = 'C',         // CUDA started; text: why the GPU's activity is not recorded, empty: it is
  kCudaRefused = 'P',  // text: what of it CUPTI refuses to record, and why
  kOwnCuda = 'D',      // this process does not have CUDA's activity recorded from outside; text: empty
  kForgotten = 'F',    // a forked child that has ended: nothing of it was recorded
};
struct Note {
  NoteKind kind{};
  pid_t pid = 0;
  std::string text;
};

// Tells whoever asked. False where nobody listens. Needs no lock and no memory but for the text.
bool leave_note(NoteKind kind, std::string_view text);
// In the order in which they were left. Nothing where the file cannot be read.
[[nodiscard]] std::vector<Note> read_notes(const std::filesystem::path& file);

}  // namespace runahead::record
