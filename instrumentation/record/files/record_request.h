// A request, made of environment variables, asks a program to record itself from its start to its end.
// `runahead record` sets the request; the user may set it too. In a program that uses the public API, the
// library answers the request. Our own programs answer it themselves.
//
//   RUNAHEAD_RECORD:        the file; %p in it is replaced by the process number
//   RUNAHEAD_RECORD_ROTATE, RUNAHEAD_RECORD_KEEP_LAST:
//                           the limits `rotate` and `keep_last` of file_limits.h, each a size or a time
//   RUNAHEAD_RECORD_NOTES:  a file to which processes append notes for the program that set the
//                           request. If this variable is set, the first process that records gets the file
//                           of RUNAHEAD_RECORD. Each other process gets FILE.pidN, so that no process
//                           overwrites another process's file.
//
// A program that runs with more rights than its caller (setuid) ignores the request.
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
// CUDA's own variable: it names a library that CUDA loads into each process in which CUDA starts. `runahead
// record` sets it to our library.
inline constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";
inline constexpr const char* kInjectionFile = "librunahead_injection.so";

struct RecordRequest {
  std::filesystem::path file;
  FileLimits limits;
};

// The request to this process; nullopt: there is no request, or the program that asked has ended. Error: the
// request has wrong values. Each call claims a separate file, so call it only once in a process.
[[nodiscard]] Result<std::optional<RecordRequest>> take_record_request();

// Stops CUDA from loading our injection library, which would start a second recording. Our own programs call
// this function, because they record themselves and their GPU activity. REQUIRES: the process has only one
// thread.
void decline_injection();

enum class NoteKind : char {
  kRecords = 'R',      // text: the file
  kNotBegun = 'N',     // text: why the file that the kRecords note names was not started
  kFailed = 'E',       // text: an error after the start of the file
  kOwnFile = 'O',      // text: a file that the program itself wanted to record into, but did not
  kCuda = 'C',         // CUDA started; text: why the GPU's activity is not recorded, empty: it is recorded
  kCudaRefused = 'P',  // text: which activity CUPTI refuses to record, and why
  kOwnCuda = 'D',      // this process keeps CUDA from loading our injection library; text: empty
  kForgotten = 'F',    // a forked child has ended, and nothing that it did was recorded
};
struct Note {
  NoteKind kind{};
  pid_t pid = 0;
  std::string text;
};

// Leaves a note for the program that asked. False: no program listens. leave_note() takes no lock, and
// allocates memory only for the note.
bool leave_note(NoteKind kind, std::string_view text);
// Returns the notes in the order in which they were left. The result is empty if the file cannot be read.
[[nodiscard]] std::vector<Note> read_notes(const std::filesystem::path& file);

}  // namespace runahead::record
