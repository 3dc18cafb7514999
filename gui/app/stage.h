// Stage draws frames of an AppCore in a Window, and measures how long a frame takes. It is used for the live
// window and for off-screen pictures.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/layout.h"
#include "gui/app/report.h"
#include "gui/app/shown_characters.h"
#include "gui/core/app_core.h"
#include "gui/platform/window.h"

namespace runahead::gui {

class Stage {
 public:
  Stage(Window& window, AppCore& core) : window_(window), core_(core) {}  // both must outlive this object

  // Draws one frame and applies its commands. `poll_ms`: time that AppCore::poll() took before this frame,
  // for the debug panel. `picture`: if it is not null, it receives the pixels of the frame before the frame
  // is shown. Returns the time that the frame took in ms, without the wait for the screen.
  double draw(double poll_ms, std::optional<Picture>* picture = nullptr);
  // After this call, each frame rewrites the report if the report is due. The report uses the model that the
  // frame drew, so that widgets and state in the report agree.
  void report_to(std::filesystem::path path) { report_.emplace(std::move(path)); }
  // Call between frames. Writes the report of the last frame if the report is due and that frame emitted no
  // commands. With `last` (the window closes), writes the report immediately if it is not up to date.
  // REQUIRES, unless `last`: no data has come since the last frame.
  void write_waiting_report(bool last);
  // Returns how long after the last frame a panel will have more to show, even if no data arrives.
  [[nodiscard]] std::optional<std::chrono::milliseconds> more_after() const;
  // True if counters are drawn coarsely to save time: the next frame refines them.
  [[nodiscard]] bool counters_refine() const;
  // True if characters in the data still lack glyphs, or if names in the data have not been read yet.
  [[nodiscard]] bool characters_wait() const { return characters_.waits() || characters_.more_to_see(); }
  // True if the last frame emitted commands: the window still shows the state before these commands.
  // HoverSlice does not count.
  [[nodiscard]] bool behind() const { return behind_; }
  // True if the last frame emitted only HoverSlice: another slice moved below the mouse.
  [[nodiscard]] bool hover_changed() const { return hover_changed_; }
  [[nodiscard]] bool report_waits() const { return report_ && report_->stale(); }

 private:
  void follow_fonts();
  [[nodiscard]] PanelModel model_to_draw();
  void keep_times(double poll_ms, double built_ms, double own_built_ms, double painted_ms);
  void write_report(const PanelModel& model);
  // kept_sizes(): the sizes that the user changes by dragging an edge. take_sizes() copies them from the
  // settings if the settings have changed since the last frame (at the start, or by a reset). keep_sizes()
  // copies them into the settings.
  [[nodiscard]] std::vector<KeptSize> kept_sizes();
  void take_sizes();
  void keep_sizes();

  Window& window_;
  AppCore& core_;
  LayoutState layout_;
  PanelSizes sizes_;  // the sizes of the last frame
  Fonts fonts_;
  float scale_ = 0;
  bool behind_ = false, hover_changed_ = false;
  ShownCharacters characters_;
  const bool wide_font_ = has_wide_face();  // a font for Chinese and Japanese is here; checked at the start
  std::vector<WidgetRect> widgets_;
  std::vector<ClippedText> clipped_;
  std::u32string missing_;  // characters for which no font face has a glyph; only filled for a report
  std::optional<ReportFile> report_;
};

}  // namespace runahead::gui
