// A panel as the rest of the window knows it: what it is called, where it goes, what it asks of the trace and
// what it answers to. Each panel is a PanelModule in a folder of its own, gui/panels/NAME;
// gui/panels/registry.h lists them. How it is drawn is a function of its own beside it, paint_panel(), so
// that none of this needs ImGui.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gui/model/app_commands.h"
#include "gui/text/text.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct PanelModel;
struct PanelUi;

// Each place shows one panel at a time. Floating windows are independent of each other.
enum class PanelPlace : std::uint8_t {
  kLeft,     // of the timeline
  kRight,    // of the timeline
  kBeside,   // right next to the timeline, with an edge that can be dragged
  kBelow,    // the timeline: what finds, asks or compares
  kBand,     // a low band below those
  kStrip,    // the figures below that
  kBottom,   // the window's last line
  kFloating  // a window of its own over the others
};

// A button over the names of the timeline that shows and hides the panel.
struct PanelButton {
  int order = 0;            // the lowest stands first
  std::string_view widget;  // its name in the report
  Text label{}, hint{};
};

struct PanelInfo {
  std::string_view id;  // names it in the settings and the report, and its entry in the menu: "menu:ID"
  Text title{};         // in the menu
  std::string_view key{}, other_key{};  // a letter or sign in either case, or F1, F3; empty: none
  PanelPlace place{};
  bool in_report = false;  // says by its id whether it is shown; others say more: add_to_report()
  bool shown_at_first = false;
  bool remembered = true;       // the settings keep whether it is shown
  bool in_menu = true;          // among the panels
  bool key_only_opens = false;  // and gives it the keyboard
  bool escape_closes = false;
  std::optional<PanelButton> button{};
};

// Panels that other parts of the window speak of.
inline constexpr std::string_view kHelpPanel = "help", kLessonPanel = "lesson", kComparePanel = "compare",
                                  kDebugPanel = "debug";

// What a panel looks at when it is polled. Borrowed for the call.
struct PanelContext {
  const trace::Trace& trace;
  std::uint64_t serial = 0;  // another number is another trace on the screen
  TimelineState& timeline;

  // The measured range where that is asked for and there is one, else all there can be.
  [[nodiscard]] TimeRange range(bool measured) const {
    if (measured && timeline.range) return *timeline.range;
    return {Timestamp{Duration::min()}, Timestamp{Duration::max()}};
  }
};

// An edge that a person drags, by its key in the settings. 0: as it is at first.
struct KeptSize {
  std::string_view key;
  float* value = nullptr;
};

// One thread (the window's) calls everything.
class PanelModule {
 public:
  PanelModule() = default;
  virtual ~PanelModule() = default;
  PanelModule(const PanelModule&) = delete;
  PanelModule& operator=(const PanelModule&) = delete;

  [[nodiscard]] virtual const PanelInfo& info() const = 0;
  [[nodiscard]] std::string_view id() const { return info().id; }
  [[nodiscard]] bool shown() const { return shown_; }
  void show(bool shown) { shown_ = shown; }
  // It can be used in this build of the program.
  [[nodiscard]] virtual bool offered() const { return true; }

  // ---- questions to the trace -----------------------------------------------------------------------------
  // Between frames, shown or not: takes the answers that have come and asks for what is wanted now. True:
  // there is something new to draw.
  virtual bool poll(const PanelContext&) { return false; }
  // An answer is on its way that belongs to what is on the screen.
  [[nodiscard]] virtual bool busy() const { return false; }
  // Another trace comes onto the screen.
  virtual void trace_replaced() {}
  // While it is shown: so long after a frame there is more to show, whether or not anything comes.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> more_after() const { return std::nullopt; }

  // ---- keys and mouse -------------------------------------------------------------------------------------
  // Before each frame, shown or not: where the mouse is.
  virtual void mouse_at(float /*x_px*/, float /*y_px*/) {}
  // While it is shown: a character that no field took.
  virtual void typed(unsigned int /*character*/) {}
  // F means this panel and not the timeline.
  [[nodiscard]] virtual bool takes_fit_key() const { return false; }
  // Its key was pressed: its field takes the keyboard.
  virtual void take_keyboard() {}

  // Of PanelPlace::kBeside: how much of the width it takes, as dragged. 0: the usual.
  float share = 0;

  // ---- its part of what the window does ------------------------------------------------------------------
  // What else is to happen when it has been shown or hidden.
  [[nodiscard]] virtual std::optional<Command> toggled() const { return std::nullopt; }
  // Words on the screen that are no data of the trace: what was typed, errors.
  virtual void add_words(std::vector<std::string_view>&) const {}
  [[nodiscard]] virtual std::vector<KeptSize> kept_sizes() { return {}; }
  virtual void add_to_report(nlohmann::json&, const PanelModel&) const {}

 private:
  bool shown_ = false;
};

// nullptr: none has that id.
[[nodiscard]] inline PanelModule* find_panel(std::span<PanelModule* const> panels, std::string_view id) {
  for (PanelModule* panel : panels) {
    if (panel->id() == id) return panel;
  }
  return nullptr;
}
[[nodiscard]] inline bool shows_panel(std::span<PanelModule* const> panels, std::string_view id) {
  const PanelModule* const panel = find_panel(panels, id);
  return panel != nullptr && panel->shown();
}

}  // namespace runahead::gui
