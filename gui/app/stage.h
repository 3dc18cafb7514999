// Draws frames of an AppCore in a Window, and times them. Used by the live window and by pictures off screen.
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
  Stage(Window& window, AppCore& core) : window_(window), core_(core) {}  // both must outlive this

  // Draws one frame and applies what was asked in it. `poll_ms`: what the poll before it cost, for the debug
  // panel. `picture`: read back before the frame is shown.
  // Returns what it cost, without the wait for the screen.
  double draw(double poll_ms, std::optional<Picture>* picture = nullptr);
  // Every frame rewrites the report where it is due: with the model that it drew, so that the widgets and the
  // state that the report names are of one moment.
  void report_to(std::filesystem::path path) { report_.emplace(std::move(path)); }
  // Between frames: of the last one, if nothing has changed since, once it is due; or `last`, at once.
  // REQUIRES: but for `last`, that no data came after the frame.
  void write_waiting_report(bool last);
  // So long after the last frame a panel has more to show, whether or not more data comes.
  [[nodiscard]] std::optional<std::chrono::milliseconds> more_after() const;
  // Counters show less than they could, for the frame's sake: the next has more.
  [[nodiscard]] bool counters_refine() const;
  // Characters of the data wait for their glyphs.
  [[nodiscard]] bool characters_wait() const { return characters_.waits() || characters_.more_to_see(); }
  // The last frame asked for something: the window shows what was before that.
  [[nodiscard]] bool behind() const { return behind_; }
  [[nodiscard]] bool report_waits() const { return report_ && report_->stale(); }

 private:
  void follow_fonts();
  [[nodiscard]] PanelModel model_to_draw();
  void keep_times(double poll_ms, double built_ms, double own_built_ms, double painted_ms);
  void write_report(const PanelModel& model);
  // The edges that are dragged are the settings': taken where those have changed (at the start, by a reset),
  // else kept in them.
  [[nodiscard]] std::vector<KeptSize> kept_sizes();
  void take_sizes();
  void keep_sizes();

  Window& window_;
  AppCore& core_;
  LayoutState layout_;
  PanelSizes sizes_;  // as they were in the last frame
  Fonts fonts_;
  float scale_ = 0;
  bool behind_ = false;
  ShownCharacters characters_;
  const bool wide_font_ = has_wide_face();  // a new one is found at the next start
  std::vector<WidgetRect> widgets_;
  std::vector<ClippedText> clipped_;
  std::u32string missing_;  // characters for which no face has a glyph; known where there is a report
  std::optional<ReportFile> report_;
};

}  // namespace runahead::gui
