#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/panels/compare/paint_compare.h"
#include "gui/widgets/nearest_bar.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::DurationHistogram;

class Painter {
 public:
  Painter(const PanelUi& ui, const DurationHistogram& a, const DurationHistogram& b, ImVec2 min, ImVec2 size)
      : ui_(ui),
        bins_(overlaid(a, b)),
        a_count_(static_cast<double>(std::max<std::uint64_t>(a.count, 1))),
        b_count_(static_cast<double>(std::max<std::uint64_t>(b.count, 1))),
        min_(min),
        size_(size),
        axis_px_(ImGui::GetTextLineHeight() + ui.px(4)) {
    for (const OverlaidBin& bin : bins_) most_ = std::max({most_, a_share(bin), b_share(bin)});
  }

  [[nodiscard]] const std::vector<OverlaidBin>& bins() const { return bins_; }

  void draw(std::optional<std::size_t> hot) const {
    if (hot) {
      list().AddRectFilled({x_of(*hot), min_.y}, {x_of(*hot + 1), bottom()},
                           rgba(with_alpha(ui_.theme.text, 28)));
    }
    for (std::size_t i = 0; i < bins_.size(); ++i) filled(i);
    for (std::size_t i = 0; i < bins_.size(); ++i) outlined(i);
    list().AddLine({min_.x, bottom()}, {min_.x + size_.x, bottom()}, rgba(ui_.theme.grid_major));
    label(format_duration(bins_.front().least), min_.x);
    const std::string last = format_duration(bins_.back().most);
    label(last, min_.x + size_.x - ImGui::CalcTextSize(last.c_str()).x);
  }

  [[nodiscard]] std::optional<std::size_t> bin_at(ImVec2 mouse) const {
    if (mouse.x < min_.x || mouse.x >= min_.x + size_.x || mouse.y < min_.y || mouse.y >= bottom())
      return std::nullopt;
    return nearest_bar(mouse.x - min_.x, bin_px(), bins_.size(), ui_.px(kBarReach),
                       [&](std::size_t i) { return bins_[i].a + bins_[i].b > 0; });
  }

 private:
  static ImDrawList& list() { return *ImGui::GetWindowDrawList(); }
  [[nodiscard]] double a_share(const OverlaidBin& bin) const { return static_cast<double>(bin.a) / a_count_; }
  [[nodiscard]] double b_share(const OverlaidBin& bin) const { return static_cast<double>(bin.b) / b_count_; }
  [[nodiscard]] float bottom() const { return min_.y + size_.y - axis_px_; }
  [[nodiscard]] float bin_px() const { return size_.x / static_cast<float>(bins_.size()); }
  [[nodiscard]] float x_of(std::size_t bin) const {
    return std::floor(min_.x + static_cast<float>(bin) * bin_px());
  }
  // Returns the top of a bar. A bar has a minimum height, so that a bar of one slice stays visible.
  [[nodiscard]] float top_of(double share) const {
    const float room = bottom() - min_.y - ui_.px(3);
    return bottom() - std::max(share > 0 ? ui_.px(3) : 0, static_cast<float>(share / most_) * room);
  }

  void filled(std::size_t i) const {
    if (bins_[i].a == 0) return;
    const float gap = bin_px() > ui_.px(4) ? ui_.px(1) : 0;
    list().AddRectFilled({x_of(i), top_of(a_share(bins_[i]))},
                         {std::max(x_of(i + 1) - gap, x_of(i) + 1), bottom()}, rgba(ui_.theme.side_a));
  }
  // Draws the part of B's outline that belongs to bin `i`: the vertical line from the previous bin, and the
  // horizontal line at the top of this bin.
  void outlined(std::size_t i) const {
    const float thick = std::max(1.0f, std::round(ui_.px(2)));
    const auto top = [&](std::size_t bin) {
      return bin < bins_.size() && bins_[bin].b > 0 ? top_of(b_share(bins_[bin])) : bottom();
    };
    const float here = top(i), before = i > 0 ? top(i - 1) : bottom();
    const ImU32 ink = rgba(ui_.theme.side_b);
    if (here != before) list().AddLine({x_of(i), before}, {x_of(i), here}, ink, thick);
    if (bins_[i].b > 0)
      list().AddLine({x_of(i), here}, {std::max(x_of(i + 1), x_of(i) + 1), here}, ink, thick);
    if (i + 1 == bins_.size() && bins_[i].b > 0)
      list().AddLine({x_of(i + 1) - 1, here}, {x_of(i + 1) - 1, bottom()}, ink, thick);
  }
  void label(const std::string& words, float x) const {
    list().AddText({std::floor(x), std::floor(bottom() + ui_.px(2))}, rgba(ui_.theme.text_dim),
                   words.c_str());
  }

  const PanelUi& ui_;
  const std::vector<OverlaidBin> bins_;
  const double a_count_, b_count_;
  const ImVec2 min_, size_;
  const float axis_px_;
  double most_ = 0;
};

std::string of_side(const char* side, std::uint64_t count, std::uint64_t all) {
  const double share = all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
  return std::string("\n") + side + "  " + format_count(static_cast<double>(count)) + " " +
         text(Text::kTimelineSlices) + ", " + format_percent(share);
}

}  // namespace

std::optional<OverlaidBin> draw_overlaid_histograms(const PanelUi& ui, const DurationHistogram& a,
                                                    const DurationHistogram& b, ImVec2 size) {
  if ((a.count == 0 && b.count == 0) || size.x < ui.px(40) || size.y < ui.px(40)) return std::nullopt;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("##overlaid", size);
  mark_widget(ui, "compare:histogram");
  const Painter painter(ui, a, b, min, size);
  const std::optional<std::size_t> hot =
      ImGui::IsItemHovered() ? painter.bin_at(ImGui::GetIO().MousePos) : std::nullopt;
  painter.draw(hot);
  if (!hot) return std::nullopt;
  const OverlaidBin& bin = painter.bins()[*hot];
  tooltip(ui, format_duration(bin.least) + " .. " + format_duration(bin.most) + of_side("A", bin.a, a.count) +
                  of_side("B", bin.b, b.count) + "\n" + text(Text::kCompareBarHint));
  return clicked && bin.a + bin.b > 0 ? std::optional(bin) : std::nullopt;
}

}  // namespace runahead::gui
