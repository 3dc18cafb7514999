// Draws the names to the left of the plot, and the ruler above it.
#include <algorithm>
#include <cmath>

#include "gui/timeline/paint/paint_scene.h"
#include "gui/timeline/scene_builder.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr float kIndentPx = 14;
constexpr float kTrianglePx = 5;
constexpr float kPadPx = 6;

class NamePainter {
 public:
  NamePainter(const PaintInput& input, ImDrawList& draw)
      : input_(input),
        theme_(input.theme),
        draw_(draw),
        scale_(input.scene.size.scale),
        left_(input.area.plot_min.x - input.area.names_px),
        right_(input.area.plot_min.x - 1),
        advance_(input.scene.size.text.value_or(TextAdvance::average(scale_))) {}

  void paint() {
    const ImVec2 min(left_, input_.area.plot_min.y), max(right_ + 1, input_.area.plot_max.y);
    draw_.PushClipRect(min, max, true);
    draw_.AddRectFilled(min, max, ink(theme_.name_column));
    zone(false);
    if (input_.scene.held_px > 0) zone(true);
    if (input_.names.landing_px) {
      const float at = std::floor(min.y + *input_.names.landing_px);
      draw_.AddRectFilled({left_, at - scale_}, {right_ + 1, at + scale_}, ink(theme_.selection));
    }
    draw_.AddLine({right_ + 0.5f, min.y}, {right_ + 0.5f, max.y}, ink(theme_.separator));
    draw_.PopClipRect();
  }

 private:
  float width_of(const std::string& text) const { return advance_.width_px(text); }

  // Draws either the held rows (pinned rows that do not scroll), or the rows that scroll below them.
  void zone(bool held) {
    const float top = input_.area.plot_min.y, edge = top + input_.scene.held_px;
    const ImVec2 min(left_, held ? top : edge), max(right_ + 1, held ? edge : input_.area.plot_max.y);
    draw_.PushClipRect(min, max, true);
    for (std::uint32_t row = 0; row < input_.scene.rows.size(); ++row) {
      if (input_.scene.rows[row].held == held) paint_row(row);
    }
    if (held) draw_.AddRectFilled({min.x, edge - 2 * scale_}, {max.x, edge}, ink(theme_.separator));
    draw_.PopClipRect();
  }

  void paint_row(std::uint32_t index) {
    const SceneRow& row = input_.scene.rows[index];
    const float top = std::floor(input_.area.plot_min.y + row.y_px);
    const bool header = row.kind == SceneRow::Kind::kGroupHeader;
    if (header)
      draw_.AddRectFilled({left_, top}, {right_ + 1, top + row.height_px}, ink(theme_.group_header));
    if (row.track == input_.names.moving) {
      draw_.AddRectFilled({left_, top}, {right_ + 1, top + row.height_px}, ink(theme_.selection, 60));
    }
    if (row.label.empty()) return;
    const float indent = left_ + (kPadPx + kIndentPx * static_cast<float>(row.indent)) * scale_;
    const bool counter = row.kind == SceneRow::Kind::kCounter;
    // True: the counter's value is below its name; false: next to it.
    const bool two_lines = counter && !row.folded;
    const float line_px =
        two_lines ? row.height_px / 2 : std::max(row.height_px, input_.font_px + 2 * scale_);
    if (row.foldable) triangle({indent + kTrianglePx * scale_, top + line_px / 2}, row.folded);
    const float text_x = indent + (2 * kTrianglePx + 5) * scale_;
    float text_end = right_ - kPadPx * scale_;
    if (input_.names.row == index) {
      dots(top + line_px / 2);
      text_end = right_ - kDotsPx * scale_;
    }
    if (counter && (input_.names.row == index || fits_view(index))) {
      fit_icon(top + line_px / 2, fits_view(index));
      text_end = right_ - 2 * kDotsPx * scale_;
    }
    if (!row.badge.empty()) text_end = badge(row.badge, text_end, top + line_px / 2) - kPadPx * scale_;
    if (counter && row.folded) text_end = value_before(index, text_end, top + line_px / 2);
    text(row.label, text_x, text_end, top + line_px / 2, theme_.text);
    if (two_lines) value(index, text_x, top + 1.5f * line_px);
  }

  // Draws the counter's value in the line of its name. The value's right end is at `end`. Returns the x at
  // which the name must end.
  float value_before(std::uint32_t index, float end, float middle_y) {
    for (const SceneCounter& counter : input_.scene.counters) {
      if (counter.row != index || counter.now_label.empty()) continue;
      const float begin = end - width_of(counter.now_label);
      text(counter.now_label, begin, end + 1, middle_y, theme_.counter_line);
      return begin - kPadPx * scale_;
    }
    return end;
  }

  void text(const std::string& words, float x, float end, float middle_y, Colour colour) {
    const std::string fitting = fit_text(words, end - x, advance_);
    draw_.AddText(input_.font, input_.font_px, {std::floor(x), std::floor(middle_y - input_.font_px / 2)},
                  ink(colour), fitting.c_str());
  }

  // Draws the value that the counter has at the end of the view. If there is room, also draws the counter's
  // minimum and maximum in the view.
  void value(std::uint32_t index, float x, float middle_y) {
    for (const SceneCounter& counter : input_.scene.counters) {
      if (counter.row != index) continue;
      text(counter.now_label, x, right_, middle_y, theme_.counter_line);
      float end = right_ - kPadPx * scale_;
      const float now_end = x + width_of(counter.now_label);
      for (const std::string& extreme : {counter.max_label, counter.min_label}) {
        const float begin = end - width_of(extreme);
        if (begin < now_end + 2 * kPadPx * scale_) return;
        text(extreme, begin, end + 1, middle_y, theme_.text_dim);
        end = begin - 2 * kPadPx * scale_;
      }
    }
  }

  [[nodiscard]] bool fits_view(std::uint32_t row) const {
    return std::ranges::any_of(input_.scene.counters, [&](const SceneCounter& counter) {
      return counter.row == row && counter.fits_view;
    });
  }

  // Draws the icon on which the user clicks to scale the counter's axis to the view: an arrow up and an arrow
  // down. `on`: true if the axis is scaled to the view now.
  void fit_icon(float middle_y, bool on) {
    const float x = right_ - 1.5f * kDotsPx * scale_, half = 4 * scale_, gap = 1.5f * scale_,
                length = 5 * scale_;
    const ImU32 colour = ink(on ? theme_.marker : input_.names.on_fit ? theme_.text : theme_.text_dim);
    for (const float way : {-1.0f, 1.0f})
      draw_.AddTriangleFilled({x - half, middle_y + way * gap}, {x + half, middle_y + way * gap},
                              {x, middle_y + way * (gap + length)}, colour);
  }

  // Draws the three dots that open the track's menu.
  void dots(float middle_y) {
    const float middle_x = right_ - kDotsPx * scale_ / 2;
    const Colour colour = input_.names.on_dots ? theme_.text : theme_.text_dim;
    for (const float step : {-5.0f, 0.0f, 5.0f})
      draw_.AddCircleFilled({middle_x + step * scale_, middle_y}, 1.6f * scale_, ink(colour));
  }

  float badge(const std::string& words, float end, float middle_y) {
    const float width = width_of(words) + 8 * scale_;
    const float half = input_.font_px / 2 + 1 * scale_;
    const ImVec2 min(std::floor(end - width), std::floor(middle_y - half)),
        max(std::floor(end), std::floor(middle_y + half));
    draw_.AddRect(min, max, ink(theme_.badge), 3 * scale_, 0, std::max(1.0f, std::floor(scale_)));
    draw_.AddText(input_.font, input_.font_px,
                  {min.x + 4 * scale_, std::floor(middle_y - input_.font_px / 2)}, ink(theme_.text_dim),
                  words.c_str());
    return min.x;
  }

  void triangle(ImVec2 centre, bool folded) {
    const float size = kTrianglePx * scale_;
    const ImU32 colour = ink(theme_.text_dim);
    if (folded) {
      draw_.AddTriangleFilled({centre.x - size * 0.6f, centre.y - size}, {centre.x + size * 0.9f, centre.y},
                              {centre.x - size * 0.6f, centre.y + size}, colour);
    } else {
      draw_.AddTriangleFilled({centre.x - size, centre.y - size * 0.6f},
                              {centre.x + size, centre.y - size * 0.6f}, {centre.x, centre.y + size * 0.9f},
                              colour);
    }
  }

  const PaintInput& input_;
  const Theme& theme_;
  ImDrawList& draw_;
  const float scale_;
  const float left_, right_;
  const TextAdvance advance_;
};

class RulerPainter {
 public:
  RulerPainter(const PaintInput& input, ImDrawList& draw)
      : input_(input),
        theme_(input.theme),
        draw_(draw),
        scale_(input.scene.size.scale),
        top_(input.area.plot_min.y - input.area.parts_px - input.area.ruler_px),
        middle_(top_ + input.area.ruler_px / 2),
        bottom_(top_ + input.area.ruler_px) {}

  void paint() {
    const PaintArea& area = input_.area;
    const ImVec2 min(area.plot_min.x - area.names_px, top_), max(area.plot_max.x, area.plot_min.y);
    draw_.PushClipRect(min, max, true);
    draw_.AddRectFilled(min, max, ink(theme_.ruler));
    draw_.PushClipRect({area.plot_min.x, top_}, max, true);
    ticks();
    parts();
    compared();
    part_names();
    markers();
    range();
    draw_.PopClipRect();
    draw_.AddLine({min.x, max.y - 0.5f}, {max.x, max.y - 0.5f}, ink(theme_.separator));
    draw_.PopClipRect();
  }

 private:
  float x(float scene_x) const { return std::floor(input_.area.plot_min.x + scene_x); }
  float text_y(float top) const { return std::floor(top + (input_.area.ruler_px / 2 - input_.font_px) / 2); }
  float width_of(const std::string& text) const {
    return input_.font->CalcTextSizeA(input_.font_px, FLT_MAX, 0, text.c_str()).x;
  }
  void text(float at_x, float at_y, Colour colour, const std::string& words) {
    draw_.AddText(input_.font, input_.font_px, {std::floor(at_x), at_y}, ink(colour), words.c_str());
  }

  void ticks() {
    for (const SceneTick& tick : input_.scene.ticks) {
      const float height = (tick.major ? 8 : 4) * scale_;
      draw_.AddRectFilled({x(tick.x_px), middle_ - height}, {x(tick.x_px) + 1, middle_},
                          ink(tick.major ? theme_.text_dim : theme_.separator));
      // A label that is cut off at the right edge misleads: "550 m" is not 550 ms.
      const float label_x = tick.x_px + 4 * scale_;
      if (tick.major && label_x + width_of(tick.label) <= input_.scene.size.width_px)
        text(x(label_x), text_y(top_) - scale_, theme_.text_dim, tick.label);
    }
  }

  // Draws the parts of the run as regions. Neighbours differ in brightness. A part that is not measured is
  // darker, with a dim name. The part that the user measures has the colour of the measured range.
  void parts() {
    const float top = bottom_, low = input_.area.plot_min.y - 1;
    for (const ScenePart& part : input_.scene.parts) {
      const bool even = part.index % 2 == 0;
      const float share = part.measured ? (even ? 0.30f : 0.20f) : 0.06f;
      const Colour fill =
          mix(theme_.ruler, part.chosen ? theme_.range : theme_.text, part.chosen ? 0.6f : share);
      const float x0 = x(part.x0_px), x1 = std::max(x(part.x1_px), x0 + 1);
      draw_.AddRectFilled({x0, top}, {x1, low}, ink(fill));
      if (part.begins) draw_.AddRectFilled({x0, top}, {x0 + 1, low}, ink(theme_.text_dim));
    }
  }

  void part_names() {
    for (const ScenePart& part : input_.scene.parts)
      region_label(part.x0_px, part.measured || part.chosen ? theme_.text : theme_.text_dim, part.label);
  }

  // Writes a label into the lowest line of the ruler.
  void region_label(float at_px, const Colour& colour, const std::string& label) {
    const float low = input_.area.plot_min.y - 1;
    text(x(at_px) + internal::kLabelPadPx * scale_, std::floor((bottom_ + low - input_.font_px) / 2), colour,
         label);
  }

  // Draws the times that the strip compares as bars, in the colours of the strip's bars. A time that the
  // strip leaves out is darker, and says why.
  void compared() {
    const float low = input_.area.plot_min.y - 1, bar = std::floor(3 * scale_);
    for (const SceneCompared& time : input_.scene.compared) {
      const float x0 = x(time.x0_px), x1 = std::max(x(time.x1_px), x0 + 1);
      if (time.side != ComparedTime::Side::kLeftOut) {
        const bool before = time.side == ComparedTime::Side::kBefore;
        draw_.AddRectFilled({x0, low - bar}, {x1, low}, ink(before ? theme_.text_dim : theme_.marker));
      } else if (input_.area.parts_px > 0) {
        draw_.AddRectFilled({x0, bottom_}, {x1, low}, ink(theme_.ruler, 200));
        region_label(time.label_px, theme_.text_dim, time.label);
      }
    }
  }

  void markers() {
    for (const SceneMarker& marker : input_.scene.markers) {
      const bool in_sight = marker.x_px >= 0;
      const Colour colour = marker.note ? theme_.range : theme_.marker;
      if (in_sight) {
        const float flag = 4 * scale_;
        draw_.AddRectFilled(
            {x(marker.x_px), middle_},
            {x(marker.x_px) + std::max(1.0f, std::floor(1.5f * scale_)), input_.area.plot_min.y},
            ink(colour));
        draw_.AddTriangleFilled({x(marker.x_px), middle_}, {x(marker.x_px) + flag, middle_ + flag},
                                {x(marker.x_px), middle_ + 2 * flag}, ink(colour));
      }
      const float at = x(std::max(marker.x_px, 0.0f)) + 6 * scale_;
      text(at, text_y(middle_),
           !in_sight     ? theme_.text_dim
           : marker.note ? theme_.text
                         : theme_.marker,
           marker.label);
    }
  }

  // True if a label of `width` at `left` lies on the label of a marker.
  bool on_marker_label(float left, float width) const {
    return std::ranges::any_of(input_.scene.markers, [&](const SceneMarker& marker) {
      const float from = std::max(marker.x_px, 0.0f), to = from + 10 * scale_ + width_of(marker.label);
      return !marker.label.empty() && left < to && from < left + width;
    });
  }

  // Returns the x at which the label of the measured range begins. The label is in the middle of the range.
  // If it would cover a marker's label there, it is at the first free place near the ends of the range.
  float range_label_left(float seen_from, float seen_to, float width) const {
    const float pad = 4 * scale_, most = std::max(pad, input_.scene.size.width_px - width - pad);
    const float middle = std::clamp((seen_from + seen_to - width) / 2, pad, most);
    for (const float left :
         {middle, seen_to - width - pad, seen_from + pad, seen_to + pad, seen_from - width - pad}) {
      if (left >= pad && left <= most && !on_marker_label(left - pad, width + 2 * pad)) return left;
    }
    return middle;
  }

  // Draws the measured range, or the range of the selected area.
  void range() {
    const Scene& scene = input_.scene;
    const TimelineState& state = input_.state;
    if (scene.range_px && state.range) {
      range(scene.range_px->first, scene.range_px->second, state.range->duration());
    } else if (!scene.area.empty() && state.area) {
      range(scene.area.front().x0_px, scene.area.front().x1_px, state.area->content.range.duration());
    }
  }

  // Draws a range and its length, in the same line of the ruler as the markers' labels.
  void range(float from, float to, Duration length) {
    draw_.AddRectFilled({x(from), middle_}, {x(to), bottom_}, ink(theme_.range, 90));
    const std::string words = format_duration(length);
    const float seen_from = std::max(from, 0.0f), seen_to = std::min(to, input_.scene.size.width_px);
    const float width = width_of(words);
    const float left = range_label_left(seen_from, seen_to, width);
    draw_.AddRectFilled({x(left) - 4 * scale_, middle_ + 1}, {x(left) + width + 4 * scale_, bottom_ - 1},
                        ink(theme_.popup), 3 * scale_);
    text(x(left), text_y(middle_), theme_.text, words);
  }

  const PaintInput& input_;
  const Theme& theme_;
  ImDrawList& draw_;
  const float scale_, top_, middle_, bottom_;  // bottom_: where the line of parts begins
};

}  // namespace

void paint_names(const PaintInput& input, ImDrawList& draw) { NamePainter(input, draw).paint(); }

void paint_ruler(const PaintInput& input, ImDrawList& draw) { RulerPainter(input, draw).paint(); }

}  // namespace runahead::gui
