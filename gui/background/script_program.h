// ScriptProgram: a Python script that the window has started on the engine, as `runahead python` does. The
// process records itself; the window follows the recording. A thread waits for the recording and for the end
// of the process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "instrumentation/base/mutex.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// One thread (the window's) calls everything; start() may be called on another one.
class ScriptProgram {
 public:
  struct State {
    bool records = false;  // the recording has begun: its file can be followed
    bool ended = false;
    int exit_code = 0;       // 128 + the signal that ended the process
    std::string last_words;  // the last line on stderr: of a Python script that failed, its exception
  };

  // The working directory of the script: that of this process, or the folder of the script.
  enum class WorkingFolder { kOfThisProcess, kOfScript };
  // Starts the script. What it prints goes to this process's stdout and stderr. The process has the priority
  // of the calling thread. The recording lies in a folder of its own in TMPDIR or /tmp. `wake` is called on
  // another thread when the state changes, and from time to time until recording_opened().
  [[nodiscard]] static Result<std::unique_ptr<ScriptProgram>> start(const std::filesystem::path& script,
                                                                    WorkingFolder folder,
                                                                    std::function<void()> wake);
  // Ends the process, waits until it has ended, and removes the recording.
  ~ScriptProgram();
  ScriptProgram(const ScriptProgram&) = delete;
  ScriptProgram& operator=(const ScriptProgram&) = delete;

  [[nodiscard]] const std::filesystem::path& script() const { return script_; }  // an absolute path
  [[nodiscard]] const std::filesystem::path& recording() const { return recording_; }
  [[nodiscard]] State state() const;
  void recording_opened() { opened_ = true; }
  // Asks the process to end. It still writes its recording to the end. Does not wait.
  void stop();

 private:
  ScriptProgram(std::filesystem::path script, std::filesystem::path folder, std::function<void()> wake);
  [[nodiscard]] Status spawn(WorkingFolder folder);
  void send_signal(int number);
  void watch();
  void take_words();
  [[nodiscard]] bool take_end();

  const std::filesystem::path script_, folder_, recording_;
  const std::function<void()> wake_;
  FileDescriptor words_;  // the read end of the pipe that is the stderr of the process
  std::string line_;      // the begin of a line on stderr; only the watching thread uses it
  std::atomic<bool> opened_{false};
  mutable Mutex mutex_;
  pid_t process_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // 0: has ended
  State state_ RUNAHEAD_GUARDED_BY(mutex_);
  std::jthread watcher_;  // last: it ends before the members that it uses
};

}  // namespace runahead::gui
