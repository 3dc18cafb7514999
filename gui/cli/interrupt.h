// Handles Ctrl-C during a run or other long work. The first Ctrl-C is only stored; the work checks for it
// from time to time and stops. A second Ctrl-C ends the program immediately.
#pragma once

#include <string_view>

#include "gui/cli/outcome.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {

// While this object exists, SIGINT, SIGTERM and SIGHUP are stored and do not end the program. Signals that
// this process already ignored (in a background job) stay ignored. Only one object may exist at a time, on
// the main thread.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  [[nodiscard]] int signal() const;  // the stored signal; 0: none
};

// Returns a progress callback that cancels the work after the first signal. `note` must outlive the callback.
[[nodiscard]] recordings::Progress until_interrupted(const InterruptNote& note);
// Returns the outcome of cancelled work: exit code 128 + the signal, and a line that says that `file` was not
// written. REQUIRES: note.signal() != 0.
[[nodiscard]] Outcome not_written(const InterruptNote& note, std::string_view file);

}  // namespace runahead::gui
