// Ctrl-C during a run: it is noted, and the waiting loop checks it. A second one ends the program at once.
#pragma once

#include <string_view>

#include "gui/cli/outcome.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {

// During its lifetime, SIGINT, SIGTERM and SIGHUP are noted and do not end the program. Signals that were
// ignored before stay ignored (a job started in the background). One object at a time, on the main thread.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  [[nodiscard]] int signal() const;  // the noted signal; 0: none
};

// Returns a Progress that cancels its work at the first signal. `note` must outlive the result.
[[nodiscard]] recordings::Progress until_interrupted(const InterruptNote& note);
// The outcome of cancelled work: exit code 128 + the signal, and a line that says that `file` was not
// written. REQUIRES: note.signal() != 0.
[[nodiscard]] Outcome not_written(const InterruptNote& note, std::string_view file);

}  // namespace runahead::gui
