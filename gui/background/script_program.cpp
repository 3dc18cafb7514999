#include "gui/background/script_program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "instrumentation/base/spawn.h"
#include "instrumentation/base/visible_text.h"
#include "instrumentation/record/files/record_request.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

// How often the watcher looks: until the recording is opened, and later.
constexpr std::chrono::milliseconds kUntilOpened{20}, kLater{100};
// A process that does not end by SIGTERM in this time is killed.
constexpr std::chrono::seconds kMostToEnd{3};
constexpr std::size_t kMostLineBytes = 400;

}  // namespace

Result<std::unique_ptr<ScriptProgram>> ScriptProgram::start(const fs::path& script, WorkingFolder folder,
                                                            std::function<void()> wake) {
  std::error_code error;
  const fs::path whole = fs::absolute(script, error).lexically_normal();
  if (error || !fs::is_regular_file(whole, error))
    return file_error("script", script, error ? error.message() : "is not a file");
  std::string scratch = (fs::temp_directory_path(error) / "runahead-script-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr)
    return Error{"'" + scratch +
                 "': cannot be made, set TMPDIR to a place for it: " + system_error_text(errno)};
  std::unique_ptr<ScriptProgram> program(new ScriptProgram(whole, scratch, std::move(wake)));
  if (const Status spawned = program->spawn(folder); !spawned) return spawned.error();
  program->watcher_ = std::jthread([raw = program.get()] { raw->watch(); });
  return program;
}

ScriptProgram::ScriptProgram(fs::path script, fs::path folder, std::function<void()> wake)
    : script_(std::move(script)),
      folder_(std::move(folder)),
      recording_(folder_ / (script_.stem().string() + ".runahead")),
      wake_(std::move(wake)) {}

ScriptProgram::~ScriptProgram() {
  send_signal(SIGTERM);
  const auto killed_at = std::chrono::steady_clock::now() + kMostToEnd;
  while (watcher_.joinable() && !state().ended && std::chrono::steady_clock::now() < killed_at)
    std::this_thread::sleep_for(kUntilOpened);
  send_signal(SIGKILL);
  if (watcher_.joinable()) watcher_.join();
  std::error_code none;
  fs::remove_all(folder_, none);
}

Status ScriptProgram::spawn(WorkingFolder folder) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  std::array<int, 2> ends{};
  if (error || ::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{"'" + script_.string() + "': cannot be started: " + system_error_text(errno)};
  words_ = FileDescriptor(ends[0]);
  const FileDescriptor write_end(ends[1]);
  ::fcntl(words_.get(), F_SETFL, O_NONBLOCK);
  const fs::path notes = folder_ / "notes";
  const FileDescriptor made(::open(notes.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const SpawnOptions options{
      .environment = {{record::kRecordVariable, recording_.string()},
                      {record::kRotateVariable, ""},
                      {record::kKeepLastVariable, ""},
                      {record::kNotesVariable, notes.string()},
                      {kEndsWithVariable, std::to_string(::getpid())}},
      .folder = folder == WorkingFolder::kOfScript ? script_.parent_path() : fs::path(),
      .err = write_end.get()};
  pid_t process = 0;
  const int failed = ::runahead::spawn({self.string(), "python", script_.string()}, options, process);
  if (failed != 0)
    return Error{"'" + script_.string() + "': cannot be started: " + system_error_text(failed)};
  const MutexLock lock(mutex_);
  process_ = process;
  return Ok{};
}

void ScriptProgram::stop() { send_signal(SIGTERM); }

ScriptProgram::State ScriptProgram::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

void ScriptProgram::send_signal(int number) {
  const MutexLock lock(mutex_);
  if (process_ != 0) ::kill(process_, number);
}

void ScriptProgram::watch() {
  for (bool ended = false; !ended;) {
    std::this_thread::sleep_for(opened_ ? kLater : kUntilOpened);
    ended = take_end();
    take_words();
    std::error_code none;
    const bool records = fs::exists(recording_, none) && fs::file_size(recording_, none) > 0 && !none;
    const bool tells = ended || (records && !opened_);
    {
      const MutexLock lock(mutex_);
      state_.records = records;
      state_.ended = ended;
    }
    if (tells) wake_();
  }
}

// Passes on what the process writes to stderr, and keeps the last line.
void ScriptProgram::take_words() {
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t count = ::read(words_.get(), bytes.data(), bytes.size());
    if (count <= 0) return;
    const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) errno = 0;  // nobody reads it
    for (const char c : text) {
      if (c != '\n') {
        if (line_.size() < kMostLineBytes) line_ += c;
        continue;
      }
      if (line_.find_first_not_of(' ') != std::string::npos) {
        const MutexLock lock(mutex_);
        state_.last_words = visible_text(line_);
      }
      line_.clear();
    }
  }
}

// True if the process has ended.
bool ScriptProgram::take_end() {
  const MutexLock lock(mutex_);
  int status = 0;
  if (process_ == 0 || ::waitpid(process_, &status, WNOHANG) == 0) return process_ == 0;
  process_ = 0;
  state_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

}  // namespace runahead::gui
