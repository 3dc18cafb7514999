// The parts of the strip: a line of text of several faces, the answer in large type, and a curve.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/model.h"
#include "gui/panels/strip/strip_figures.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

[[nodiscard]] inline float text_width(ImFont* face, const std::string& t) {
  return t.empty() ? 0 : face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, t.c_str()).x;
}

// Draws items along one baseline.
struct StripLine {
  const PanelUi& ui;
  ImDrawList& draw;
  float x, baseline;
  void write(ImFont* face, Colour ink, const std::string& t, float space_px);
  // The arrow is drawn as a shape, because few fonts have the character.
  void arrow(ImFont* face, Colour ink);
};

// Draws the answers below each other: the words in large type, and two bars, before and after.
void draw_answers(const PanelUi& ui, const std::vector<StripAnswer>& answers, ImVec2 at, float width_px);
[[nodiscard]] float answers_height(const PanelUi& ui);  // of two answers

// The curve of one figure.
struct StripCurve {
  const CurveFacts& facts;
  // Returns the figure at a point; nullopt: not known.
  std::function<std::optional<double>(const analysis::CurvePoint&)> value;
  double top = 0;  // the value at the upper edge; 0: the largest value of the curve
};
// Draws the curve over at most 30 s, with a line at each change of the barrier. The newest point is at the
// right edge.
void draw_curve(const PanelUi& ui, const StripCurve& curve, ImVec2 at, ImVec2 size);

}  // namespace runahead::gui
