#include "gui/graph/paint_graph.h"

#include <algorithm>
#include <cmath>

namespace runahead::gui {
namespace {

using analysis::OpState;

constexpr float kFinishedShare = 0.38f;  // share of the execution colour in the fill of a finished op
constexpr int kCurveSteps = 14;          // pieces of a dashed curve

ImU32 ink(Colour colour, std::uint8_t alpha = 255) { return rgba(with_alpha(colour, alpha)); }

class GraphPainter {
 public:
  GraphPainter(const GraphPaint& input, ImDrawList& draw)
      : scene_(input.scene),
        theme_(input.theme),
        input_(input),
        draw_(draw),
        scale_(input.scene.size.scale) {}

  void paint() {
    draw_.PushClipRect(input_.min, input_.max, true);
    draw_.AddRectFilled(input_.min, input_.max, ink(theme_.row));
    const bool focused = std::any_of(scene_.lines.begin(), scene_.lines.end(),
                                     [](const GraphLine& line) { return line.beside; });
    for (const GraphLine& line : scene_.lines) paint_line(line, focused && !line.beside);
    for (const GraphBox& box : scene_.boxes) paint_box(box);
    paint_bars();
    draw_.PopClipRect();
  }

 private:
  void paint_bars() {
    const float thick = 6 * scale_, edge = 3 * scale_;
    const auto paint_bar = [&](ImVec2 low, ImVec2 high) {
      draw_.AddRectFilled(low, high, ink(theme_.text_dim, 150), thick / 2);
    };
    if (const auto& bar = scene_.bars.across) {
      const float y = input_.max.y - edge;
      paint_bar({input_.min.x + bar->begin_px, y - thick}, {input_.min.x + bar->end_px, y});
    }
    if (const auto& bar = scene_.bars.down) {
      const float x = input_.max.x - edge;
      paint_bar({x - thick, input_.min.y + bar->begin_px}, {x, input_.min.y + bar->end_px});
    }
  }

  [[nodiscard]] ImVec2 at(std::pair<float, float> point) const {
    return {input_.min.x + point.first, input_.min.y + point.second};
  }

  void paint_line(const GraphLine& line, bool faint) {
    const Colour colour = line.beside ? theme_.selection : line.critical ? theme_.arrow : theme_.text_dim;
    const float width = (line.critical ? 3.0f : line.beside ? 2.0f : 1.3f) * scale_;
    const ImU32 stroke = ink(colour, faint ? 70 : line.critical || line.beside ? 255 : 190);
    const bool dashed = line.kind == trace::DependencyKind::kWriteAfterRead;
    for (std::size_t i = 1; i < line.points_px.size(); ++i) {
      const ImVec2 from = at(line.points_px[i - 1]), to = at(line.points_px[i]);
      const float middle = (from.y + to.y) / 2;
      if (dashed) {
        dashes(from, to, middle, stroke, width);
      } else {
        draw_.AddBezierCubic(from, {from.x, middle}, {to.x, middle}, to, stroke, width);
      }
    }
    head(line, stroke);
  }

  void dashes(ImVec2 from, ImVec2 to, float middle, ImU32 stroke, float width) {
    const auto point = [&](int step) {
      const float t = static_cast<float>(step) / kCurveSteps, u = 1 - t;
      const float ends = u * u * u + 3 * u * u * t, rest = 1 - ends;
      return ImVec2{from.x * ends + to.x * rest, u * u * u * from.y + 3 * u * t * middle + t * t * t * to.y};
    };
    for (int step = 0; step < kCurveSteps; step += 2)
      draw_.AddLine(point(step), point(step + 1), stroke, width);
  }

  void head(const GraphLine& line, ImU32 stroke) {
    const ImVec2 tip = at(line.points_px.back());
    const float room = line.points_px.back().second - line.points_px[line.points_px.size() - 2].second;
    const float size = std::min(5 * scale_, room * 0.7f);
    if (size < 2) return;
    draw_.AddTriangleFilled({tip.x - size * 0.7f, tip.y - size}, {tip.x + size * 0.7f, tip.y - size}, tip,
                            stroke);
  }

  void paint_box(const GraphBox& box) {
    const ImVec2 min = at({box.x0_px, box.y0_px}), max = at({box.x1_px, box.y1_px});
    const float height = max.y - min.y, rounding = std::min(6 * scale_, height / 3);
    const Colour fill = state_fill(theme_, box.state);
    if (box.from_elsewhere) {
      const float middle = std::floor((min.x + max.x) / 2), length = std::min(5 * scale_, height / 2);
      draw_.AddLine({middle, min.y - length}, {middle, min.y}, ink(theme_.text_dim, 150), scale_);
    }
    draw_.AddRectFilled(min, max, ink(fill), rounding);
    if (box.category) stripe(min, max, rounding, theme_.category(*box.category));
    border(box, min, max, rounding);
    words(box, min, fill);
  }

  void stripe(ImVec2 min, ImVec2 max, float rounding, Colour colour) {
    const float width = std::min(4 * scale_, (max.x - min.x) / 3);
    draw_.AddRectFilled(min, {min.x + width, max.y}, ink(colour), rounding, ImDrawFlags_RoundCornersLeft);
  }

  void border(const GraphBox& box, ImVec2 min, ImVec2 max, float rounding) {
    const float thick = std::max(1.0f, std::floor(2 * scale_));
    if (box.selected) {
      draw_.AddRect({min.x - thick, min.y - thick}, {max.x + thick, max.y + thick}, ink(theme_.selection),
                    rounding + thick, 0, 1.3f * thick);
    }
    if (box.failed || box.state == OpState::kSkipped) {
      draw_.AddRect(min, max, ink(theme_.failure), rounding, 0, thick);
    } else if (box.critical) {
      draw_.AddRect(min, max, ink(theme_.arrow), rounding, 0, thick);
    } else if (box.state == OpState::kReady) {
      draw_.AddRect(min, max, ink(theme_.of(trace::SliceKind::kExecute)), rounding, 0, thick);
    } else {
      draw_.AddRect(min, max, ink(box.beside ? theme_.hover : theme_.separator), rounding);
    }
  }

  void words(const GraphBox& box, ImVec2 min, Colour fill) {
    const float height = box.y1_px - box.y0_px, width = box.x1_px - box.x0_px;
    const float line = input_.font_px + 2 * scale_, pad = 4 * scale_, mark = 12 * scale_;
    const bool two_lines = !box.device.empty();
    const float top = two_lines ? (height - 2 * line) / 2 : (height - line) / 2;
    const Colour words = label_on(fill);
    const float middle = min.y + top + line / 2;
    if (width >= 2 * mark && !box.name.empty()) {
      paint_state_mark(box.state, {min.x + pad + mark / 2, middle}, 8 * scale_, words, draw_);
    } else {
      const float size = std::min({8 * scale_, height * 0.7f, width * 0.7f});
      paint_state_mark(box.state, {min.x + width / 2, min.y + height / 2}, size, words, draw_);
      if (box.name.empty()) return;
    }
    const float x = std::floor(min.x + pad + mark + 1 * scale_);
    put({x, middle}, words, box.name);
    if (!box.duration.empty()) {
      const float wide = input_.font->CalcTextSizeA(input_.font_px, FLT_MAX, 0, box.duration.c_str()).x;
      put({std::floor(min.x + width - pad - wide), middle}, words, box.duration);
    }
    if (two_lines) put({x, middle + line}, mix(fill, words, 0.75f), box.device);
  }

  void put(ImVec2 from, Colour colour, const std::string& text) {
    draw_.AddText(input_.font, input_.font_px, {from.x, std::floor(from.y - input_.font_px / 2)}, ink(colour),
                  text.c_str());
  }

  const GraphScene& scene_;
  const Theme& theme_;
  const GraphPaint& input_;
  ImDrawList& draw_;
  const float scale_;
};

}  // namespace

Colour state_fill(const Theme& theme, OpState state) {
  const Colour runs = theme.of(trace::SliceKind::kExecute);
  switch (state) {
    case OpState::kRunning:
      return runs;
    case OpState::kFinished:
      return mix(theme.row, runs, kFinishedShare);
    case OpState::kSkipped:
      return mix(theme.row, theme.failure, 0.2f);
    case OpState::kReady:
    case OpState::kWaiting:
      break;
  }
  return theme.group_header;
}

void paint_state_mark(OpState state, ImVec2 middle, float size_px, Colour colour, ImDrawList& draw) {
  const float r = size_px / 2, thick = std::max(1.0f, size_px / 5);
  const ImU32 stroke = ink(colour);
  const auto point = [&](float x, float y) { return ImVec2{middle.x + x * r, middle.y + y * r}; };
  switch (state) {
    case OpState::kWaiting:
      draw.AddCircle(middle, r, stroke, 0, thick);
      return;
    case OpState::kReady:
      draw.AddCircleFilled(middle, r, stroke);
      return;
    case OpState::kRunning:
      draw.AddTriangleFilled(point(-0.7f, -1), point(1, 0), point(-0.7f, 1), stroke);
      return;
    case OpState::kFinished: {
      const ImVec2 check[] = {point(-1, 0.1f), point(-0.3f, 0.8f), point(1, -0.8f)};
      draw.AddPolyline(check, 3, stroke, 0, thick);
      return;
    }
    case OpState::kSkipped:
      draw.AddLine(point(-0.8f, -0.8f), point(0.8f, 0.8f), stroke, thick);
      draw.AddLine(point(-0.8f, 0.8f), point(0.8f, -0.8f), stroke, thick);
      return;
  }
}

void paint_graph(const GraphPaint& input, ImDrawList& draw) { GraphPainter(input, draw).paint(); }

}  // namespace runahead::gui
