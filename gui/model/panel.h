// The interface of a panel: its title, its place, the analyses of the trace that it requests (its questions),
// and the input that it handles. Each panel is a PanelModule in its own folder, gui/panels/NAME.
// gui/panels/panel_registry.h lists all panels. A separate function in the panel's folder, paint_panel(),
// draws the panel, so that this header does not need ImGui.
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

// Each place shows one panel at a time. Exception: several floating panels can be shown at the same time.
enum class PanelPlace : std::uint8_t {
  kLeft,     // left of the timeline
  kRight,    // right of the timeline
  kBeside,   // directly right of the timeline, with a movable edge
  kBelow,    // below the timeline: find, causes, waits, memory, query, compare
  kBand,     // a band of one or a few lines, below kBelow
  kStrip,    // the strip of figures below the band
  kBottom,   // the last line of the window
  kFloating  // a separate window above the others
};

// A button above the track names of the timeline. The button shows and hides the panel.
struct PanelButton {
  int order = 0;            // the button with the lowest order comes first
  std::string_view widget;  // the button's name in the report
  Text label{}, hint{};
};

struct PanelInfo {
  std::string_view id;  // key in the settings and report; the menu entry is "menu:ID" in the report
  Text title{};         // the panel's title in the menu
  // Keys that show and hide the panel: a letter (either case), a sign such as "?", F1 or F3; empty: none.
  std::string_view key{}, other_key{};
  PanelPlace place{};
  // True: the report has a boolean with the panel's id, which says whether the panel is shown.
  // add_to_report() can add more data.
  bool in_report = false;
  bool shown_at_first = false;
  bool remembered = true;       // the settings store whether the panel is shown
  bool in_menu = true;          // the menu lists the panel
  bool key_only_opens = false;  // the key opens the panel and gives it the focus, but never closes it
  bool escape_closes = false;
  std::optional<PanelButton> button{};
};

// Panels that other parts of the window refer to.
inline constexpr std::string_view kHelpPanel = "help", kAboutPanel = "about", kLessonPanel = "lesson",
                                  kComparePanel = "compare", kFindPanel = "find", kDebugPanel = "debug",
                                  kScriptPanel = "script", kClassPanel = "class";

// Input of a panel's poll(). Valid only for the call.
struct PanelContext {
  const trace::Trace& trace;
  std::uint64_t serial = 0;  // identifies the trace on the screen
  TimelineState& timeline;

  // Returns the measured range if `measured` is true and a range is measured. Otherwise returns all times.
  [[nodiscard]] TimeRange range(bool measured) const {
    if (measured && timeline.range) return *timeline.range;
    return {Timestamp{Duration::min()}, Timestamp{Duration::max()}};
  }
};

// A size of a panel that the user can change by dragging, and its key in the settings. 0: the default size.
struct KeptSize {
  std::string_view key;
  float* value = nullptr;
};

// One thread (the window's) calls everything.
class PanelModule {
 public:
  PanelModule() = default;
  virtual ~PanelModule();
  PanelModule(const PanelModule&) = delete;
  PanelModule& operator=(const PanelModule&) = delete;

  [[nodiscard]] virtual const PanelInfo& info() const = 0;
  [[nodiscard]] std::string_view id() const { return info().id; }
  [[nodiscard]] bool shown() const { return shown_; }
  void show(bool shown) { shown_ = shown; }
  // False if this build of the program cannot use the panel.
  [[nodiscard]] virtual bool offered() const { return true; }

  // ---- questions to the trace -----------------------------------------------------------------------------
  // Called between frames, also while the panel is hidden. Takes finished answers from the background thread,
  // and asks the questions that have no answer yet. Returns true if there is something new to draw.
  virtual bool poll(const PanelContext&) { return false; }
  // True while an answer about the trace on the screen is pending.
  [[nodiscard]] virtual bool busy() const { return false; }
  // Called when a different trace is shown on the screen.
  virtual void trace_replaced() {}
  // Called while the panel is shown. Returns how long after a frame the next frame is needed even if no data
  // arrives. nullopt: no further frame is needed.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> more_after() const { return std::nullopt; }

  // ---- keys and mouse -------------------------------------------------------------------------------------
  // Passes the mouse position to the panel. Called before each frame, also while the panel is hidden.
  virtual void mouse_at(float /*x_px*/, float /*y_px*/) {}
  // Called while the panel is shown: the user typed a character that no text field took.
  virtual void typed(unsigned int /*character*/) {}
  // True if the key F (fit everything into the view) applies to this panel and not to the timeline.
  [[nodiscard]] virtual bool takes_fit_key() const { return false; }
  // Called when the panel's key was pressed. The text field of the panel then takes the keyboard focus.
  virtual void take_keyboard() {}

  // For PanelPlace::kBeside: the panel's share of the width, as set by dragging. 0: the default.
  float share = 0;

  // ---- commands, fonts, settings, report ------------------------------------------------------------------
  // Returns a command to apply after the panel has been shown or hidden.
  [[nodiscard]] virtual std::optional<Command> toggled() const;
  // Adds the strings that the panel shows and that are not trace data: typed text, errors. The window's fonts
  // must have the characters of these strings.
  virtual void add_words(std::vector<std::string_view>&) const {}
  [[nodiscard]] virtual std::vector<KeptSize> kept_sizes() { return {}; }
  virtual void add_to_report(nlohmann::json&, const PanelModel&) const {}

 private:
  bool shown_ = false;
};

// Returns nullptr if no panel has that id.
[[nodiscard]] PanelModule* find_panel(std::span<PanelModule* const> panels, std::string_view id);
[[nodiscard]] bool shows_panel(std::span<PanelModule* const> panels, std::string_view id);

}  // namespace runahead::gui
