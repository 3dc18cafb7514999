#include "gui/widgets/icons.h"

namespace runahead::gui {

namespace {

// Coordinates of icons are shares of their square.
struct Pen {
  ImDrawList& draw;
  ImVec2 at;
  float size_px;
  ImU32 ink;
  [[nodiscard]] ImVec2 p(float x, float y) const { return {at.x + x * size_px, at.y + y * size_px}; }
  void box(float x0, float y0, float x1, float y1) const {
    draw.AddRectFilled(p(x0, y0), p(x1, y1), ink, size_px * 0.06f);
  }
  void line(float x0, float y0, float x1, float y1) const {
    draw.AddLine(p(x0, y0), p(x1, y1), ink, size_px * 0.11f);
  }
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c) const { draw.AddTriangleFilled(a, b, c, ink); }
};

void draw_open(const Pen& pen) {
  pen.box(0.08f, 0.2f, 0.46f, 0.4f);
  pen.box(0.08f, 0.3f, 0.92f, 0.84f);
}

void draw_save(const Pen& pen) {
  pen.line(0.5f, 0.1f, 0.5f, 0.52f);
  pen.triangle(pen.p(0.24f, 0.42f), pen.p(0.76f, 0.42f), pen.p(0.5f, 0.72f));
  pen.line(0.12f, 0.88f, 0.88f, 0.88f);
}

void draw_menu(const Pen& pen) {
  for (const float y : {0.24f, 0.5f, 0.76f}) pen.line(0.1f, y, 0.9f, y);
}

void draw_help(const Pen& pen) { pen.draw.AddText(pen.p(0.25f, 0.0f), pen.ink, "?"); }

}  // namespace

void draw_icon(ImDrawList& draw, Icon icon, ImVec2 at, float size_px, ImU32 ink) {
  const Pen pen{draw, at, size_px, ink};
  switch (icon) {
    case Icon::kNone:
      return;
    case Icon::kPlay:
      return pen.triangle(pen.p(0.2f, 0.1f), pen.p(0.9f, 0.5f), pen.p(0.2f, 0.9f));
    case Icon::kPause:
      pen.box(0.18f, 0.12f, 0.4f, 0.88f);
      return pen.box(0.6f, 0.12f, 0.82f, 0.88f);
    case Icon::kStep:
      pen.box(0.12f, 0.12f, 0.28f, 0.88f);
      return pen.triangle(pen.p(0.4f, 0.12f), pen.p(0.94f, 0.5f), pen.p(0.4f, 0.88f));
    case Icon::kStop:
      return pen.box(0.16f, 0.16f, 0.84f, 0.84f);
    case Icon::kRecord:
      return draw.AddCircleFilled(pen.p(0.5f, 0.5f), size_px * 0.36f, ink);
    case Icon::kOpen:
      return draw_open(pen);
    case Icon::kSave:
      return draw_save(pen);
    case Icon::kMenu:
      return draw_menu(pen);
    case Icon::kClose:
      pen.line(0.2f, 0.2f, 0.8f, 0.8f);
      return pen.line(0.8f, 0.2f, 0.2f, 0.8f);
    case Icon::kHelp:
      return draw_help(pen);
  }
}

}  // namespace runahead::gui
