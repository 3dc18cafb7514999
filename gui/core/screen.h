// Screen: the state that all parts of the window share: the session, the trace on the screen and its view,
// the settings, and the last messages. AppCore owns the Screen; each part has a reference to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gui/background/block_loader.h"
#include "gui/core/settings.h"
#include "gui/session/session.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Only the window's thread uses this struct. Exception: any thread may call `wake`.
struct Screen {
  // `start_on`: see SessionOptions.
  Screen(Settings kept, std::function<void()> wake_up, CallOn start_on);

  // Returns the trace of the opened file, or otherwise the trace of the session.
  [[nodiscard]] const trace::Trace& trace() const { return opened ? *opened : session->trace(); }
  // True if the run is paused and nothing is in flight.
  [[nodiscard]] bool stands_still() const;
  // Closes the opened file and shows the session's trace, with a fresh timeline state.
  void show_session();
  void show_file(trace::Trace trace, const std::filesystem::path& path);
  // Shows a recording that another program is still writing. poll_followed() takes what that program adds.
  void show_followed(std::unique_ptr<link::FileFollower> follower, const std::filesystem::path& path);
  // True while a program is writing the recording on the screen.
  [[nodiscard]] bool following() const { return follower_ != nullptr && !follower_->ended(); }
  // Returns true if the trace has new rows, or if the program has ended.
  bool poll_followed();
  void end_session();  // ends the session and begins another session, in which nothing runs
  // Divides the memory limit (--keep) between the trace on the screen and the other recording of a comparison
  // (`other`; nullptr: none). If both traces are files, each gets half. If the trace on the screen is live,
  // the other recording gets half of the limit for files, and the limit of the live trace is reduced by the
  // same amount, but at most by half.
  void share_memory(const std::shared_ptr<trace::BlockStore>& other);
  void retain_at_most(std::size_t bytes);  // sets the memory limit of a live trace and of a file; call it
                                           // before anything runs

  void fail(const std::string& message) { error = message; }
  void tell_nothing() {
    error.clear();
    notice.clear();
  }

  // Calls `start`, which starts a program, on the thread that starts the threads of a run: they get the
  // normal priority, and the threads that paint get a lower one.
  void start_as_a_run(const std::function<void()>& start) const {
    if (!start_on_) return start();
    start_on_(start);
  }

  const std::function<void()> wake;
  std::function<void()> trace_replaced;  // called when another trace is shown; set by AppCore
  Settings settings;
  std::string error, notice;           // one line each; empty: none
  std::optional<Error> first_failure;  // the first failure of a file or run that the command line requested

  std::unique_ptr<Session> session;
  trace::Trace* opened = nullptr;  // the file on the screen; nullptr: the session's trace is shown
  std::filesystem::path opened_path;
  bool trace_mode = false;  // the opened file is not a run of this engine
  // True if the strip compares the time before and after a change of the trace on the screen.
  bool compares = true;
  std::unique_ptr<BlockLoader> loader;  // set for a file whose rows are not all in memory
  // A file of at most 64 MiB is checked completely when it is opened, which takes up to 0.1 s. A larger file
  // is not checked at that time: if a part of it is damaged, the damage is reported when that part is drawn.
  recordings::OpenOptions open_options{.check_bytes = std::uint64_t{64} << 20};
  std::uint64_t serial = 1;  // identifies the trace on the screen; each new trace increases it
  TimelineState timeline;
  // The user asked for a step. When the trace has this number of finished steps, the view moves to the last
  // one.
  std::optional<std::int64_t> step_to_show;

 private:
  void show_opened(const std::filesystem::path& path);
  void look_for_changes();
  [[nodiscard]] SessionOptions session_options() const;
  void replace_trace();
  void tell_followed_ended();

  const CallOn start_on_;
  // At most one of the two is set: `opened` points to its trace.
  std::optional<trace::Trace> file_;
  std::unique_ptr<link::FileFollower> follower_;
  std::size_t keep_bytes_ = SessionOptions{}.retain_bytes;
};

}  // namespace runahead::gui
