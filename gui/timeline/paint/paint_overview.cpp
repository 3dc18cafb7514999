#include <algorithm>
#include <cfloat>
#include <cmath>

#include "gui/timeline/paint/paint_scene.h"

namespace runahead::gui {

namespace {

// Shades the parts in which nothing is measured (preparation, reading of results), so that nobody takes their
// empty columns for a fault. Lines mark where the parts begin.
void shade_overview_parts(const OverviewInput& input, ImVec2 min, ImVec2 max, ImDrawList& draw) {
  for (const Overview::Part& part : input.overview.part_px) {
    const float x0 = std::floor(min.x + part.x0_px), x1 = std::floor(min.x + part.x1_px);
    draw.AddRectFilled({x0, min.y}, {x0 + 1, max.y}, ink(input.theme.text_dim, 150));
    if (part.measured) continue;
    draw.AddRectFilled({x0, min.y}, {x1, max.y}, ink(input.theme.text_dim, 45));
  }
}

// The names of the shaded parts, each on a plate: columns and the veil outside the view have many colours,
// and a name on them alone is hard to read.
void paint_names_of_overview_parts(const OverviewInput& input, ImVec2 min, ImVec2 max, ImDrawList& draw) {
  const float pad = 4 * input.scale;
  for (const Overview::Part& part : input.overview.part_px) {
    if (part.measured) continue;
    const float x0 = std::floor(min.x + part.x0_px), x1 = std::floor(min.x + part.x1_px);
    const float width = input.font->CalcTextSizeA(input.font_px, FLT_MAX, 0, part.name.c_str()).x;
    if (width + 2 * pad > x1 - x0) continue;
    const ImVec2 at(std::floor((x0 + x1 - width) / 2), std::floor((min.y + max.y - input.font_px) / 2));
    draw.AddRectFilled({at.x - pad, at.y}, {at.x + width + pad, at.y + input.font_px},
                       ink(input.theme.row, 225), pad);
    draw.AddText(input.font, input.font_px, at, ink(input.theme.text), part.name.c_str());
  }
}

}  // namespace

void paint_overview(const OverviewInput& input, ImVec2 min, ImVec2 max, ImDrawList& draw) {
  const Overview& overview = input.overview;
  const Theme& theme = input.theme;
  const float scale = input.scale;
  draw.PushClipRect(min, max, true);
  draw.AddRectFilled(min, max, ink(theme.row));
  const float height = max.y - min.y, first_x = min.x + overview.columns_x_px;
  for (std::size_t i = 0; i < overview.columns.size(); ++i) {
    const OverviewColumn& column = overview.columns[i];
    const float x0 = std::floor(first_x + static_cast<float>(i) * overview.column_px);
    const float x1 = std::floor(first_x + static_cast<float>(i + 1) * overview.column_px);
    // Busy time grows from the bottom, and blocked time from the top. Therefore they differ in position as
    // well as in colour.
    const float busy = std::round(column.busy * height * 0.62f),
                blocked = std::round(column.blocked * height * 0.34f);
    if (busy > 0)
      draw.AddRectFilled({x0, max.y - busy}, {x1, max.y}, ink(theme.of(trace::SliceKind::kExecute)));
    if (blocked > 0)
      draw.AddRectFilled({x0, min.y}, {x1, min.y + blocked}, ink(theme.of(trace::SliceKind::kWait)));
  }
  shade_overview_parts(input, min, max, draw);
  for (const float marker : overview.marker_x_px) {
    draw.AddRectFilled({min.x + marker, min.y}, {min.x + marker + std::max(1.0f, scale), max.y},
                       ink(theme.marker));
  }
  for (const float note : overview.note_x_px) {
    draw.AddRectFilled({min.x + note, min.y}, {min.x + note + std::max(1.0f, scale), max.y},
                       ink(theme.range));
  }
  if (!overview.extent.empty()) {
    // The frame around the view has a minimum width, so that a view of a few pixels is still visible.
    const float least = 6 * scale;
    float x0 = min.x + overview.view_px.first, x1 = min.x + overview.view_px.second;
    if (x1 - x0 < least) {
      x0 = std::clamp((x0 + x1 - least) / 2, min.x, max.x - least);
      x1 = x0 + least;
    }
    draw.AddRectFilled({min.x, min.y}, {x0, max.y}, ink(theme.window, 150));
    draw.AddRectFilled({x1, min.y}, {max.x, max.y}, ink(theme.window, 150));
    draw.AddRect({std::floor(x0) + 0.5f, min.y + 0.5f}, {std::floor(x1) - 0.5f, max.y - 0.5f},
                 ink(theme.text), 0, 0, std::max(1.0f, std::floor(1.5f * scale)));
  }
  paint_names_of_overview_parts(input, min, max, draw);
  draw.AddLine({min.x, max.y - 0.5f}, {max.x, max.y - 0.5f}, ink(theme.separator));
  draw.PopClipRect();
}

}  // namespace runahead::gui
