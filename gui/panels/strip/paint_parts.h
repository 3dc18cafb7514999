// The parts of the strip: a line of text in several fonts, the answers in large type (StripAnswer), and the
// curve of a figure. A figure is a number of the strip with its name, such as steps per second (StripFigure).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/answers/strip_figures.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

[[nodiscard]] inline float text_width(ImFont* face, const std::string& t) {
  return t.empty() ? 0 : face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, t.c_str()).x;
}

// Draws texts and arrows from left to right on one baseline. `x` is the start of the next item.
struct StripLine {
  const PanelUi& ui;
  ImDrawList& draw;
  float x, baseline;
  void write(ImFont* face, Colour ink, const std::string& t, float space_px);
  // Draws the arrow between the values before and after a change. The arrow is drawn as a shape, because few
  // fonts have a glyph for an arrow.
  void arrow(ImFont* face, Colour ink);
};

// Draws the answers below each other. Each answer has its words in large type, and two bars: the value before
// and the value after the barrier change.
void draw_answers(const PanelUi& ui, const std::vector<StripAnswer>& answers, ImVec2 at, float width_px);
[[nodiscard]] float answers_height(const PanelUi& ui);  // of two answers

// The curve of one figure over time.
struct StripCurve {
  const CurveFacts& facts;
  // Returns the figure's value at a point of the curve; nullopt: not known.
  std::function<std::optional<double>(const analysis::CurvePoint&)> value;
  double top = 0;  // upper end of the value axis; 0: use the largest value of the curve
};
// Draws the curve of at most the last 30 s, with a vertical line at each change of the barrier. The newest
// point is at the right edge.
void draw_curve(const PanelUi& ui, const StripCurve& curve, ImVec2 at, ImVec2 size);

}  // namespace runahead::gui
