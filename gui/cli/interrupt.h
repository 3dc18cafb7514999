// Ctrl-C while a run is on: remembered, for the loop that waits to see. A second one ends the program at
// once.
#pragma once

#include <string_view>

#include "gui/cli/outcome.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {

// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the program (those that were ignored
// before stay ignored: a job started in the background). One at a time, on the main thread.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  [[nodiscard]] int signal() const;  // the one that came; 0: none
};

// For work that takes a Progress: it is cancelled at the first signal. `note` must outlive what it returns.
[[nodiscard]] recordings::Progress until_interrupted(const InterruptNote& note);
// How such work ended: exit 128 + the signal, and a line that says that `file` was not written.
// REQUIRES: note.signal() != 0.
[[nodiscard]] Outcome not_written(const InterruptNote& note, std::string_view file);

}  // namespace runahead::gui
