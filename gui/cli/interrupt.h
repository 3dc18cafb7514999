// Ctrl-C while a run is on: remembered, for the loop that waits to see. A second one ends the program at
// once.
#pragma once

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

}  // namespace runahead::gui
