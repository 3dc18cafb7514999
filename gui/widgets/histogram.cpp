#include "gui/widgets/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "gui/widgets/nearest_bar.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::DurationHistogram;

// The percentiles that are drawn as lines, 50, 90 and 99, as indices into kHistogramPercents.
constexpr std::size_t kLines[]{0, 1, 3};

class Painter {
 public:
  Painter(const PanelUi& ui, const DurationHistogram& histogram, ImVec2 min, ImVec2 size)
      : ui_(ui),
        histogram_(histogram),
        min_(min),
        size_(size),
        axis_px_(ImGui::GetTextLineHeight() + ui.px(4)),
        label_px_(ImGui::GetTextLineHeight() + ui.px(2)),
        most_(std::ranges::max(histogram.bins, {}, &DurationHistogram::Bin::count).count) {}

  void draw(std::optional<std::size_t> hot) {
    for (std::size_t i = 0; i < histogram_.bins.size(); ++i) bar(i, i == hot);
    const float base = bottom();
    list().AddLine({min_.x, base}, {min_.x + size_.x, base}, rgba(ui_.theme.grid_major));
    label(format_duration(histogram_.min), min_.x, base + ui_.px(2));
    const std::string last = format_duration(histogram_.max);
    label(last, min_.x + size_.x - ImGui::CalcTextSize(last.c_str()).x, base + ui_.px(2));
    float free_px = min_.x;  // x from which the next label may begin, so that labels do not overlap
    for (const std::size_t i : kLines) free_px = percentile(i, free_px);
  }

  [[nodiscard]] std::optional<std::size_t> bar_at(ImVec2 mouse) const {
    if (mouse.x < min_.x || mouse.x >= min_.x + size_.x || mouse.y < min_.y || mouse.y >= bottom())
      return std::nullopt;
    return nearest_bar(mouse.x - min_.x, bar_px(), histogram_.bins.size(), ui_.px(kBarReach),
                       [&](std::size_t i) { return histogram_.bins[i].count > 0; });
  }

 private:
  static ImDrawList& list() { return *ImGui::GetWindowDrawList(); }
  [[nodiscard]] float bottom() const { return min_.y + size_.y - axis_px_; }
  [[nodiscard]] float bar_px() const { return size_.x / static_cast<float>(histogram_.bins.size()); }

  void bar(std::size_t index, bool hot) const {
    const DurationHistogram::Bin& bin = histogram_.bins[index];
    if (bin.count == 0) return;
    const float room = bottom() - min_.y - label_px_;
    const double share = static_cast<double>(bin.count) / static_cast<double>(most_);
    const float height =
        // The minimum height makes even the bar of a single slice visible.
        std::max(ui_.px(2), static_cast<float>(share) * room);
    const float x0 = min_.x + static_cast<float>(index) * bar_px();
    const float gap = bar_px() > ui_.px(4) ? ui_.px(1) : 0;
    const Colour colour = ui_.theme.of(trace::SliceKind::kExecute);
    list().AddRectFilled({x0, bottom() - height}, {x0 + std::max(bar_px() - gap, 1.0f), bottom()},
                         rgba(hot ? ui_.theme.selection : colour));
  }

  // Returns the x position of a duration on the axis. All bars have the same width; within a bar, the axis is
  // linear.
  [[nodiscard]] float x_of(Duration duration) const {
    const auto bin = std::ranges::upper_bound(histogram_.bins, duration, {}, &DurationHistogram::Bin::least);
    const auto index =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, bin - histogram_.bins.begin() - 1));
    const DurationHistogram::Bin& in = histogram_.bins[index];
    const double within = static_cast<double>((duration - in.least).count()) /
                          static_cast<double>((in.most - in.least).count() + 1);
    return min_.x + (static_cast<float>(index) + static_cast<float>(within)) * bar_px();
  }

  void label(const std::string& words, float x, float y) const {
    list().AddText({std::floor(x), std::floor(y)}, rgba(ui_.theme.text_dim), words.c_str());
  }

  // Draws the line and label of percentile `i`. Returns the x position from which the next label may begin.
  float percentile(std::size_t i, float free_px) const {
    const float x = x_of(histogram_.percentiles[i]);
    list().AddLine({x, min_.y}, {x, bottom()}, rgba(ui_.theme.text_dim));
    char percent[16];
    std::snprintf(percent, sizeof percent, "p%.3g", analysis::kHistogramPercents[i]);
    const std::string words = std::string(percent) + " " + format_duration(histogram_.percentiles[i]);
    const float width = ImGui::CalcTextSize(words.c_str()).x;
    float at = x + ui_.px(3);
    if (at + width > min_.x + size_.x) at = x - width - ui_.px(3);
    if (at < free_px) return free_px;
    label(words, at, min_.y);
    return at + width + ui_.px(6);
  }

  const PanelUi& ui_;
  const DurationHistogram& histogram_;
  const ImVec2 min_, size_;
  const float axis_px_, label_px_;
  const std::uint64_t most_;
};

}  // namespace

std::optional<DurationHistogram::Bin> draw_histogram(const PanelUi& ui, const DurationHistogram& histogram,
                                                     ImVec2 size) {
  if (histogram.bins.empty() || size.x < ui.px(40) || size.y < ui.px(40)) return std::nullopt;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("##histogram", size);
  mark_widget(ui, "histogram");
  Painter painter(ui, histogram, min, size);
  const std::optional<std::size_t> hot =
      ImGui::IsItemHovered() ? painter.bar_at(ImGui::GetIO().MousePos) : std::nullopt;
  painter.draw(hot);
  if (!hot) return std::nullopt;
  const DurationHistogram::Bin& bin = histogram.bins[*hot];
  tooltip(ui, format_duration(bin.least) + " .. " + format_duration(bin.most) + "\n" +
                  format_count(static_cast<double>(bin.count)) + " " + text(Text::kTimelineSlices) + ", " +
                  format_duration(bin.total));
  return clicked && bin.count > 0 ? std::optional(bin) : std::nullopt;
}

}  // namespace runahead::gui
