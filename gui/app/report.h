// The window's state as JSON, rewritten at each change: how a test sees what the window did, and where to
// click.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/layout.h"

namespace runahead::gui {

// Of the frame drawn last.
struct Drawn {
  const std::vector<WidgetRect>& widgets;
  const std::vector<ClippedText>& clipped;
  const std::u32string& missing;  // characters without a glyph
  bool all_glyphs = true;         // none is still to be rasterised
  bool counters_refine = false;   // the next frame's are finer
};

// One thread.
class ReportFile {
 public:
  explicit ReportFile(std::filesystem::path path) : path_(std::move(path)) {}

  // The state has changed: to be written once it is due.
  void touch() { stale_ = true; }
  // Something waits, and the last writing is 50 ms ago: a report must not slow the frames that it tells of.
  [[nodiscard]] bool due() const {
    return stale_ && std::chrono::steady_clock::now() - written_at_ >= kPeriod;
  }
  [[nodiscard]] bool stale() const { return stale_; }
  // Of the last writing.
  [[nodiscard]] const Status& status() const { return status_; }
  // Through a temporary file renamed, so that a reader never sees half of one.
  // What came of it is status().
  void write(AppCore& core, const PanelModel& model, const LayoutState& layout, const Drawn& drawn);

 private:
  static constexpr std::chrono::milliseconds kPeriod{50};
  const std::filesystem::path path_;
  std::chrono::steady_clock::time_point written_at_{};
  Status status_ = Ok{};
  bool stale_ = true;
};

}  // namespace runahead::gui
