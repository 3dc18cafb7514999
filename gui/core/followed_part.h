// Followed: the program whose recording is on the screen while it is written. Reads the program's switches
// and parameters, and sets them. Another thread speaks with the program, so a program that does not answer
// never delays a frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/background/asker.h"
#include "gui/core/screen.h"
#include "gui/model/app_commands.h"
#include "instrumentation/link/control.h"

namespace runahead::gui {

struct ControlQuestion {
  std::filesystem::path recording;
  std::optional<SetControl> set;
};
struct ControlAnswer {
  std::filesystem::path recording;
  std::vector<link::Control> controls;
  std::string failure;      // why a control was not set; empty: it was set
  std::string broken_host;  // the program's machine, if the link to it is broken
};
using ControlAsker = Asker<ControlQuestion, ControlAnswer>;

// One thread (the window's) calls everything.
class Followed {
 public:
  explicit Followed(Screen& screen);  // `screen` must outlive this object

  void apply(const SetControl& command);
  // Returns true if there is something new to draw.
  bool poll();
  [[nodiscard]] const std::vector<link::Control>& controls() const { return controls_; }
  // The program's machine, if the link to it is broken now; else empty.
  [[nodiscard]] const std::string& broken_host() const { return broken_host_; }

 private:
  Screen& screen_;
  std::vector<link::Control> controls_;
  std::string broken_host_;
  std::deque<SetControl> wanted_;  // not yet sent to the program
  std::chrono::steady_clock::time_point due_{};
  std::uint64_t serial_ = 0;  // of the trace to which controls_ belong
  ControlAsker asker_;        // last: its thread ends while the other members exist
};

}  // namespace runahead::gui
