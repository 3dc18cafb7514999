// A program that is started with the request to record itself (record_request.h), and what became of the
// request. The program makes the recording itself: either it uses the library (as the workloads do), or CUDA
// loads the library into the program.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/cli/outcome.h"
#include "gui/cli/programs/child_process.h"
#include "gui/cli/words.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// The name of a recording of `program` that nobody asked to keep. The window shows it.
[[nodiscard]] std::string recording_name_for(const std::string& program);

// The library that CUDA loads into the program. This is our library, unless our library is missing or the
// environment already names another library.
struct CudaInjection {
  std::string library;      // empty: our library was not found
  bool of_another = false;  // true: the environment already names a library
};

// The file in which recording processes report what they record. It is deleted when the command ends. A
// process that cannot open this file does not start a recording. Therefore a process that lives longer than
// the command starts no further recording.
class NotesFile {
 public:
  NotesFile();
  ~NotesFile();
  NotesFile(const NotesFile&) = delete;
  NotesFile& operator=(const NotesFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // empty: the file was created

 private:
  std::string path_, error_;
};

// A name beside the recording that no file has: "a.WORD.runahead" for "a.runahead", or with a number.
[[nodiscard]] std::filesystem::path free_name_beside(const std::filesystem::path& recording,
                                                     const std::string& word);

class RecordedProgram {
 public:
  // Checks that the recording can be written, and makes the file for the notes. Starts nothing. `words`: the
  // program and its arguments. REQUIRES: words is not empty.
  [[nodiscard]] static Result<std::unique_ptr<RecordedProgram>> prepare(std::vector<std::string> words,
                                                                        const std::string& out);

  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }  // an absolute path
  [[nodiscard]] const std::string& notes() const { return notes_.path(); }
  // The recordings of all its processes so far, also of those that the program started.
  [[nodiscard]] std::vector<std::filesystem::path> recordings() const;
  // The variables that make the program record.
  [[nodiscard]] std::map<std::string, std::string> environment(const LimitWords& limits = {}) const;

  // Call the functions below after the program's end. They return the program's exit code, or kExitRefused if
  // the program returned 0 and has no whole recording.
  // The line says what was recorded.
  [[nodiscard]] Outcome report(const ChildEnd& end) const;
  // There is a line only if a signal ended the program, or if the recording is missing or failed.
  [[nodiscard]] Outcome report_of_failure(const ChildEnd& end) const;

 private:
  RecordedProgram(std::vector<std::string> words, std::filesystem::path file);

  std::vector<std::string> words_;
  std::filesystem::path file_;
  std::set<std::filesystem::path> parts_before_;  // of an older recording
  NotesFile notes_;
  CudaInjection injection_;
};

}  // namespace runahead::gui
