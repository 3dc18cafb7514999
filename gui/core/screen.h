// What all parts of the window's state work on: the session, the trace on the screen and how it is shown, the
// settings, and what was told last. AppCore owns it; each part borrows it.
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
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// One thread (the window's). `wake` may be called on any.
struct Screen {
  Screen(Settings kept, std::function<void()> wake_up);

  // The opened file's, else the session's.
  [[nodiscard]] const trace::Trace& trace() const { return opened ? *opened : session->trace(); }
  // Paused, and nothing in flight.
  [[nodiscard]] bool stands_still() const;
  // From now on the session's trace is shown, from its beginning.
  void show_session();
  void show_file(trace::Trace trace, const std::filesystem::path& path);
  void end_session();  // and begins another one, in which nothing runs
  // The other recording of a comparison (nullptr: none) and the trace on the screen share what --keep says:
  // half each where both are files; beside a live trace the other one takes half of what a file may, and the
  // live one less.
  void share_memory(const std::shared_ptr<trace::BlockStore>& other);
  void retain_at_most(std::size_t bytes);  // of a live trace, and of a file; before anything runs

  void fail(const std::string& message) { error = message; }
  void tell_nothing() {
    error.clear();
    notice.clear();
  }

  const std::function<void()> wake;
  std::function<void()> trace_replaced;  // called when another trace comes onto the screen; set by AppCore
  Settings settings;
  std::string error, notice;           // one line each; empty: none
  std::optional<Error> first_failure;  // of what the command line asked for

  std::unique_ptr<Session> session;
  std::optional<trace::Trace> opened;  // a file on the screen, in place of the session's trace
  std::filesystem::path opened_path;
  std::unique_ptr<BlockLoader> loader;  // of a file whose rows are not all in memory
  // Checking 64 MiB takes a tenth of a second. A larger file opens at once, and its damage is told when it is
  // seen.
  recordings::OpenOptions open_options{.check_bytes = std::uint64_t{64} << 20};
  std::uint64_t serial = 1;  // grows with each new trace on the screen
  TimelineState timeline;

 private:
  [[nodiscard]] SessionOptions session_options() const;
  void replace_trace();

  std::size_t keep_bytes_ = SessionOptions{}.retain_bytes;
};

}  // namespace runahead::gui
