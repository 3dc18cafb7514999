#include "gui/timeline/paint/paint_scene.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string_view>
#include <vector>

#include "gui/timeline/scene/arrow_curve.h"
#include "gui/timeline/scene_builder.h"

namespace runahead::gui {
namespace {

// Share of the full colour, for a folded run (many narrow slices) with almost no busy time.
constexpr float kFaintestInk = 0.35f;
// Opacity of the area that covers an arrow behind a name, 0..255. The arrow stays visible enough to follow.
constexpr std::uint8_t kOverArrow = 215;
// Share of the full colour, for a slice that a search did not find.
constexpr float kDimmedInk = 0.2f;
constexpr float kLeastFoundPx = 3;  // least height of the bar that shows the share of found slices in a run

class Painter {
 public:
  Painter(const PaintInput& input, ImDrawList& draw)
      : scene_(input.scene),
        state_(input.state),
        theme_(input.theme),
        area_(input.area),
        input_(input),
        draw_(draw),
        scale_(input.scene.size.scale) {
    for (const SceneArrow& arrow : scene_.arrows) curves_.push_back(curve_of(arrow, scale_));
  }

  void plot() {
    draw_.PushClipRect(area_.plot_min, area_.plot_max, true);
    zone(false);
    if (scene_.held_px > 0) zone(true);
    paint_path_steps(input_, draw_);
    marker_lines();
    range();
    for (const SceneFrame& frame : scene_.area) area(frame);
    moment();
    if (input_.names.landing_px) landing_line();
    for (std::size_t i = scene_.arrows.size(); i-- > 0;) paint_arrow(i);  // direct flows last
    // The names are drawn last, so that no line runs over them.
    names(false);
    if (scene_.held_px > 0) names(true);
    if (scene_.peak) peak(*scene_.peak);
    scroll_indicator();
    draw_.PopClipRect();
  }

 private:
  struct Rect {
    ImVec2 min, max;
  };

  // Returns the part of the plot with the held rows (pinned rows that do not scroll), or the part below them.
  Rect zone_rect(bool held) const {
    const float edge = area_.plot_min.y + scene_.held_px;
    return {{area_.plot_min.x, held ? area_.plot_min.y : edge},
            {area_.plot_max.x, held ? edge : area_.plot_max.y}};
  }

  // Draws the rows of a zone without the names in their boxes.
  void zone(bool held) {
    const auto [min, max] = zone_rect(held);
    const auto in_zone = [&](std::uint32_t row) { return scene_.rows[row].held == held; };
    draw_.PushClipRect(min, max, true);
    draw_.AddRectFilled(min, max, ink(theme_.row));
    row_backgrounds(held);
    grid();
    paint_idle(input_, held, draw_);
    paint_counters(input_, held, draw_);
    for (const SceneBox& box : scene_.boxes) {
      if (in_zone(box.row)) paint_box(box);
    }
    for (const SceneBox& box : scene_.boxes) {
      if (in_zone(box.row)) outline(box);
    }
    paint_path(input_, held, draw_);
    for (const SceneInstant& instant : scene_.instants) {
      if (in_zone(instant.row)) paint_instant(instant);
    }
    if (held) draw_.AddRectFilled({min.x, max.y - 2 * scale_}, max, ink(theme_.separator));
    draw_.PopClipRect();
  }

  // Draws the names in the boxes of a zone.
  void names(bool held) {
    const auto [min, max] = zone_rect(held);
    draw_.PushClipRect(min, max, true);
    for (const SceneBox& box : scene_.boxes) {
      if (!box.label.empty() && scene_.rows[box.row].held == held) label(box);
    }
    paint_idle_labels(input_, held, draw_);
    draw_.PopClipRect();
  }

  // Draws the line that shows where the dragged track would be placed.
  void landing_line() {
    const float at = std::floor(y(*input_.names.landing_px));
    draw_.AddRectFilled({area_.plot_min.x, at - scale_}, {right(), at + scale_}, ink(theme_.selection));
  }

  float x(float scene_x) const { return area_.plot_min.x + scene_x; }
  float y(float scene_y) const { return area_.plot_min.y + scene_y; }
  float right() const { return area_.plot_max.x; }

  void row_backgrounds(bool held) {
    for (const SceneRow& row : scene_.rows) {
      if (row.held != held) continue;
      const ImVec2 min(area_.plot_min.x, y(row.y_px)), max(right(), y(row.y_px + row.height_px));
      if (row.kind == SceneRow::Kind::kGroupHeader) {
        draw_.AddRectFilled(min, max, ink(theme_.group_header));
      } else if (raw(row.track) % 2 == 1) {
        draw_.AddRectFilled(min, max, ink(theme_.row_alternate));
      }
    }
  }

  void grid() {
    for (const SceneTick& tick : scene_.ticks) {
      const float at = std::floor(x(tick.x_px)) + 0.5f;
      const Colour colour = tick.major ? theme_.grid_major : theme_.grid_minor;
      draw_.AddLine({at, area_.plot_min.y}, {at, area_.plot_max.y}, ink(colour));
    }
  }

  // Returns the rectangle of the box in whole pixels, with a gap of one pixel to the next box if there is
  // room.
  Rect rect_of(const SceneBox& box) const {
    const SceneRow& row = scene_.rows[box.row];
    const float x0 = std::floor(x(box.x0_px) + 0.5f);
    float x1 = std::floor(x(box.x1_px) + 0.5f);
    if (x1 - x0 > 3 * scale_) x1 -= 1;
    const float height = row.height_px * (box.bottom - box.top);
    const float inset = height >= 10 * scale_ ? std::floor(scale_) : height >= 3 * scale_ ? 0.5f : 0.0f;
    const float y0 = std::floor(y(row.y_px + row.height_px * box.top)) + inset;
    const float y1 = std::floor(y(row.y_px + row.height_px * box.bottom)) - inset;
    return {{x0, y0}, {std::max(x1, x0 + 1), std::max(y1, y0 + 1)}};
  }

  Colour colour_of(const SceneBox& box) const {
    const bool by_kind = state_.colour_by == ColourBy::kKind || box.kind == trace::SliceKind::kWait;
    const bool of_none = box.category == kNoCategory;
    const Colour full = by_kind   ? theme_.of(box.kind)
                        : of_none ? theme_.of(trace::SliceKind::kZone)
                                  : theme_.category(box.category);
    if (box.count == 1) return full;
    return mix(theme_.row, full, kFaintestInk + (1 - kFaintestInk) * box.busy);
  }

  bool is_wide(const Rect& rect) const { return rect.max.x - rect.min.x > 6 * scale_; }

  // True if the box has slices that a search did not find.
  static bool is_dimmed(const SceneBox& box) { return box.found && *box.found < box.count; }

  // Returns the colour for an element of the box: dimmed if the box has slices that a search did not find.
  Colour lit(const SceneBox& box, Colour full) const {
    return is_dimmed(box) ? mix(theme_.row, full, kDimmedInk) : full;
  }

  // Returns the colour of the box's area. A wait that is too narrow for its hatch gets the mean colour of the
  // hatch.
  Colour fill_of(const SceneBox& box, const Rect& rect) const {
    if (box.kind != trace::SliceKind::kWait) return lit(box, colour_of(box));
    return lit(box, mix(theme_.wait_fill, theme_.wait_stroke, is_wide(rect) ? 0.0f : 0.5f));
  }

  void paint_box(const SceneBox& box) {
    const Rect rect = rect_of(box);
    const bool waits = box.kind == trace::SliceKind::kWait, wide = is_wide(rect);
    const Colour fill = fill_of(box, rect);
    draw_.AddRectFilled(rect.min, rect.max, ink(fill));
    if (waits && wide) hatch(rect, ink(lit(box, theme_.wait_stroke)));
    if (!theme_.dark && wide) draw_.AddRect(rect.min, rect.max, ink(mix(fill, colour(0), 0.3f)));
    if (box.open) draw_.AddRectFilled({rect.max.x - 2 * scale_, rect.min.y}, rect.max, ink(theme_.text));
    if (box.flags & trace::kSliceFailed) {
      draw_.AddRectFilled({rect.min.x, rect.max.y - 3 * scale_}, rect.max, ink(lit(box, theme_.failure)));
    }
    if (box.flags & trace::kSliceLate) notch(rect, lit(box, theme_.failure));
    if (is_dimmed(box) && *box.found > 0) found_share(box, rect);
  }

  // Draws a bar at the bottom of a folded run of which a search found some slices. The height of the bar is
  // the share of the found slices.
  void found_share(const SceneBox& box, const Rect& rect) {
    const float share = static_cast<float>(static_cast<double>(*box.found) / static_cast<double>(box.count));
    const float height = rect.max.y - rect.min.y;
    const float bar = std::min(height, std::max(kLeastFoundPx * scale_, share * height));
    draw_.AddRectFilled({rect.min.x, std::floor(rect.max.y - bar)}, rect.max, ink(theme_.text));
  }

  // Draws strokes at 45 degrees. This function cuts each stroke at the edges of the rectangle itself, because
  // a clip rectangle would cost a draw call for each box.
  void hatch(const Rect& rect, ImU32 colour) {
    const auto step = static_cast<float>(internal::kHatchPx) * scale_;
    const float height = rect.max.y - rect.min.y;
    for (float left = rect.min.x - std::ceil(height / step) * step; left < rect.max.x; left += step) {
      const float x0 = std::max(left, rect.min.x), x1 = std::min(left + height, rect.max.x);
      if (x1 <= x0) continue;
      draw_.AddLine({x0, rect.max.y - (x0 - left)}, {x1, rect.max.y - (x1 - left)}, colour, 1.5f * scale_);
    }
  }

  // Cuts off a corner of the box, to mark a late op.
  void notch(const Rect& rect, Colour corner) {
    const float size = std::min({7 * scale_, rect.max.x - rect.min.x, (rect.max.y - rect.min.y) / 2});
    if (size < 2) return;
    draw_.AddTriangleFilled({rect.max.x - size, rect.min.y}, {rect.max.x, rect.min.y},
                            {rect.max.x, rect.min.y + size}, ink(corner));
    draw_.AddLine({rect.max.x - size, rect.min.y}, {rect.max.x, rect.min.y + size}, ink(colour(0)), scale_);
  }

  // Draws the name in a box. If an arrow runs through the name, first covers most of the arrow with the
  // colour of the box, so that the name stays readable.
  void label(const SceneBox& box) {
    const Rect rect = rect_of(box);
    const Colour fill = fill_of(box, rect);
    const float px = std::min(input_.font_px, rect.max.y - rect.min.y);
    const float left = std::max(rect.min.x, area_.plot_min.x) + internal::kLabelPadPx * scale_;
    const ImVec2 at(std::floor(left), std::floor((rect.min.y + rect.max.y - px) / 2));
    if (!curves_.empty()) {
      const float end = at.x + input_.font->CalcTextSizeA(px, FLT_MAX, 0, box.label.c_str()).x;
      const ImVec2 min(at.x - 2 * scale_, at.y), max(end + 2 * scale_, at.y + px);
      if (arrow_through(min, max)) draw_.AddRectFilled(min, max, ink(fill, kOverArrow));
    }
    draw_.AddText(input_.font, px, at, ink(is_dimmed(box) ? theme_.text_dim : label_on(fill)),
                  box.label.c_str());
  }

  // True if an arrow runs through this part of the window.
  bool arrow_through(ImVec2 min, ImVec2 max) const {
    const RectPx rect{{min.x - x(0), min.y - y(0)}, {max.x - x(0), max.y - y(0)}};
    return std::ranges::any_of(curves_, [&](const ArrowCurve& curve) { return runs_through(curve, rect); });
  }

  void outline(const SceneBox& box) {
    const bool hovered = box.count == 1 && state_.hovered == box.slice;
    if (!box.selected && !box.related && !hovered) return;
    const Rect rect = rect_of(box);
    const Colour colour = box.selected ? theme_.selection : box.related ? theme_.related : theme_.hover;
    const float thickness = (hovered && !box.selected && !box.related ? 1.0f : 2.0f) * scale_;
    draw_.AddRect({rect.min.x - 1, rect.min.y - 1}, {rect.max.x + 1, rect.max.y + 1}, ink(colour), 0, 0,
                  thickness);
  }

  void paint_instant(const SceneInstant& instant) {
    const SceneRow& row = scene_.rows[instant.row];
    const float size = (instant.wait_point ? 2 : 4) * scale_;
    const float top = y(row.y_px);
    draw_.AddTriangleFilled({x(instant.x_px) - size, top}, {x(instant.x_px) + size, top},
                            {x(instant.x_px), top + 1.6f * size},
                            ink(instant.wait_point ? theme_.text_dim : theme_.marker));
  }

  void marker_lines() {
    for (const SceneMarker& marker : scene_.markers) {
      if (marker.x_px < 0) continue;
      const float at = std::floor(x(marker.x_px));
      draw_.AddRectFilled({at, area_.plot_min.y},
                          {at + std::max(1.0f, std::floor(1.5f * scale_)), area_.plot_max.y},
                          ink(marker.note ? theme_.range : theme_.marker, 220));
    }
  }

  void range() {
    if (!scene_.range_px) return;
    const float x0 = std::floor(x(scene_.range_px->first)), x1 = std::floor(x(scene_.range_px->second)) + 1;
    draw_.AddRectFilled({x0, area_.plot_min.y}, {x1, area_.plot_max.y}, ink(theme_.range, 40));
    for (const float edge : {x0, x1 - 1}) {
      draw_.AddRectFilled({edge, area_.plot_min.y}, {edge + 1, area_.plot_max.y}, ink(theme_.range));
    }
  }

  // Draws the frame of the selected area, with a tint.
  void area(const SceneFrame& frame) {
    const float edge = area_.plot_min.y + scene_.held_px;
    const ImVec2 min(std::floor(x(frame.x0_px)), std::floor(y(frame.y0_px)));
    const ImVec2 max(std::max(std::floor(x(frame.x1_px)), min.x) + 1, std::floor(y(frame.y1_px)));
    draw_.PushClipRect({area_.plot_min.x, frame.held ? area_.plot_min.y : edge},
                       {right(), frame.held ? edge : area_.plot_max.y}, true);
    draw_.AddRectFilled(min, max, ink(theme_.range, 40));
    draw_.AddRect(min, max, ink(theme_.range), 0, 0, 2 * scale_);
    draw_.PopClipRect();
  }

  // Draws the time of the memory report as a dashed line, since markers have solid lines.
  void moment() {
    if (scene_.time_px) {
      const float at = std::floor(x(*scene_.time_px)), dash = 5 * scale_;
      for (float top = area_.plot_min.y; top < area_.plot_max.y; top += 2 * dash) {
        draw_.AddRectFilled({at, top}, {at + std::max(1.0f, std::floor(1.5f * scale_)), top + dash},
                            ink(theme_.selection));
      }
    }
  }

  // Marks the peak with a small triangle at the top of the counter's strip. The label is at the right of the
  // triangle, or at the left if there is no room at the right.
  void peak(const ScenePeak& of) {
    const SceneRow& row = scene_.rows[of.row];
    const float size = 5 * scale_, at = x(of.x_px), top = y(row.y_px);
    draw_.AddTriangleFilled({at - size, top}, {at + size, top}, {at, top + 1.6f * size},
                            ink(theme_.selection));
    const float px = std::min(input_.font_px, row.height_px);
    const ImVec2 words = input_.font->CalcTextSizeA(px, FLT_MAX, 0, of.label.c_str());
    const float gap = size + 3 * scale_;
    const float left = at + gap + words.x < right() ? at + gap : at - gap - words.x;
    draw_.AddRectFilled({left - 2 * scale_, top}, {left + words.x + 2 * scale_, top + words.y},
                        ink(theme_.window, 190), 3 * scale_);
    draw_.AddText(input_.font, px, {std::floor(left), std::floor(top)}, ink(theme_.text), of.label.c_str());
  }

  void paint_arrow(std::size_t index) {
    const auto at = [&](const PointPx& point) { return ImVec2(x(point.x), y(point.y)); };
    const ArrowCurve& curve = curves_[index];
    const ImVec2 from = at(curve[0]), c0 = at(curve[1]), c1 = at(curve[2]), to = at(curve[3]);
    // Arrows of later steps of the flow chain are fainter, but still visible enough to follow.
    const float share = std::max(std::pow(0.62f, static_cast<float>(scene_.arrows[index].step - 1)), 0.22f);
    const ImU32 colour = ink(theme_.arrow, static_cast<std::uint8_t>(255 * share));
    // First draws a wider stroke in the colour of the background, under the arrow, so that the arrow is
    // visible on any box.
    draw_.AddBezierCubic(from, c0, c1, to, ink(theme_.window, static_cast<std::uint8_t>(160 * share)),
                         3.5f * scale_);
    draw_.AddBezierCubic(from, c0, c1, to, colour, 1.7f * scale_);
    const float head = 6 * scale_;
    draw_.AddTriangleFilled(to, {to.x - head, to.y - head * 0.55f}, {to.x - head, to.y + head * 0.55f},
                            colour);
    draw_.AddCircleFilled(from, 2.5f * scale_, colour);
  }

  void scroll_indicator() {
    const float shown = scene_.size.height_px - scene_.held_px,
                all = scene_.content_height_px - scene_.held_px;
    if (all <= shown) return;
    const float width = 5 * scale_;
    const float top = y(scene_.held_px + static_cast<float>(state_.scroll_y_px) / all * shown);
    draw_.AddRectFilled({right() - width - 2, top}, {right() - 2, top + shown / all * shown},
                        ink(theme_.text_dim, 130), width / 2);
  }

  const Scene& scene_;
  const TimelineState& state_;
  const Theme& theme_;
  const PaintArea area_;
  const PaintInput& input_;
  ImDrawList& draw_;
  const float scale_;
  std::vector<ArrowCurve> curves_;  // index: arrow
};

}  // namespace

void paint_scene(const PaintInput& input, ImDrawList& draw) {
  Painter(input, draw).plot();
  paint_names(input, draw);
  paint_ruler(input, draw);
}

TextAdvance font_advance(const ImFont& font, float font_px) {
  TextAdvance advance;
  const float ratio = font_px / font.FontSize;
  for (std::size_t c = 0; c < advance.ascii_px.size(); ++c) {
    advance.ascii_px[c] = font.GetCharAdvance(static_cast<ImWchar>(c)) * ratio;
  }
  // A TextAdvance has only two widths for characters beyond ASCII. The width for Latin and Greek letters is
  // the width of the letter kWidest, because no such letter is wider. The width for CJK characters is that of
  // the ideographic full stop, because all CJK characters are equally wide. (The font may lack this
  // character.)
  constexpr ImWchar kEllipsis = 0x2026, kWidest = 0x00C6, kFullStop = 0x3002;
  advance.other_px = font.GetCharAdvance(kWidest) * ratio;
  advance.wide_px = font.GetCharAdvance(kFullStop) * ratio;
  if (font.FindGlyphNoFallback(kEllipsis) == nullptr) advance.ellipsis = "...";
  return advance;
}

}  // namespace runahead::gui
