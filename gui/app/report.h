// The report: the window's state as JSON, rewritten at each change. Tests read it to see what the window did,
// and where to click.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/layout.h"

namespace runahead::gui {

// Data of the last frame.
struct Drawn {
  const std::vector<WidgetRect>& widgets;
  const std::vector<ClippedText>& clipped;
  const std::u32string& missing;  // characters without a glyph
  bool all_glyphs = true;         // false: some glyphs are not rasterised yet
  bool counters_refine = false;   // true: the next frame draws the counters more finely
};

// All calls are made on one thread.
class ReportFile {
 public:
  explicit ReportFile(std::filesystem::path path) : path_(std::move(path)) {}

  // Call when the state has changed. The report is then written as soon as due() is true.
  void touch() { stale_ = true; }
  // True if the report is not up to date and was last written at least 50 ms ago. The pause is needed because
  // writing reports must not slow down the frames.
  [[nodiscard]] bool due() const {
    return stale_ && std::chrono::steady_clock::now() - written_at_ >= kPeriod;
  }
  [[nodiscard]] bool stale() const { return stale_; }
  // The result of the last write.
  [[nodiscard]] const Status& status() const { return status_; }
  // Writes a temporary file and renames it, so that a reader never sees an incomplete report. status() then
  // returns the result.
  void write(AppCore& core, const PanelModel& model, const LayoutState& layout, const Drawn& drawn);

 private:
  static constexpr std::chrono::milliseconds kPeriod{50};
  const std::filesystem::path path_;
  std::chrono::steady_clock::time_point written_at_{};
  Status status_ = Ok{};
  bool stale_ = true;
};

}  // namespace runahead::gui
