// Draws the idle time of devices, and the critical path.
#include <algorithm>
#include <cmath>

#include "gui/timeline/paint/cause_colours.h"
#include "gui/timeline/paint/paint_scene.h"
#include "gui/timeline/scene_builder.h"

namespace runahead::gui {
namespace {

// The share of the cause's colour in a band, and the weakest share for narrow gaps that leave the device busy
// most of the time.
constexpr float kBandInk = 0.45f, kFaintestBand = 0.15f;
constexpr float kPathPx = 3, kWaitPx = 1.5f;  // thickness of the path, and of its waits
constexpr float kFaintestPath = 0.3f;

class CausePainter {
 public:
  CausePainter(const PaintInput& input, ImDrawList& draw)
      : input_(input),
        scene_(input.scene),
        theme_(input.theme),
        draw_(draw),
        scale_(input.scene.size.scale) {}

  void bands(bool held) {
    for (const SceneIdleRows& rows : scene_.idle_rows) {
      if (rows.held != held) continue;
      for (const SceneIdle& idle : scene_.idle) {
        if (idle.device == rows.device) band(rows, idle);
      }
    }
  }

  void labels(bool held) {
    for (const SceneIdleRows& rows : scene_.idle_rows) {
      if (rows.held != held) continue;
      for (const SceneIdle& idle : scene_.idle) {
        if (idle.device == rows.device && !idle.label.empty()) label(rows, idle);
      }
    }
  }

  void path(bool held) {
    for (const ScenePathLine& line : scene_.path) {
      const SceneRow& row = scene_.rows[line.row];
      if (row.held != held) continue;
      const float bottom = std::floor(y(row.y_px + row.height_px));
      const float thickness = (line.waits ? kWaitPx : kPathPx) * scale_;
      const float share = kFaintestPath + (1 - kFaintestPath) * line.share;
      const float x0 = x(line.x0_px);
      const float x1 = std::max(x(line.x1_px), x0 + 1);
      const auto alpha = static_cast<std::uint8_t>(255 * share);
      // a rim in the colour of the background, so that the line is visible on any slice
      draw_.AddRectFilled({x0, bottom - thickness - std::floor(scale_)}, {x1, bottom},
                          ink(theme_.window, alpha));
      draw_.AddRectFilled({x0, bottom - thickness}, {x1, bottom}, ink(theme_.path, alpha));
    }
  }

  void steps() {
    for (const ScenePathStep& step : scene_.path_steps) {
      const float at = std::floor(x(step.x_px));
      const float top = y(std::min(step.y0_px, step.y1_px)), bottom = y(std::max(step.y0_px, step.y1_px));
      draw_.AddRectFilled({at, top - kPathPx * scale_}, {at + std::max(1.0f, std::floor(scale_)), bottom},
                          ink(theme_.path, 200));
    }
  }

 private:
  float x(float scene_x) const { return input_.area.plot_min.x + scene_x; }
  float y(float scene_y) const { return input_.area.plot_min.y + scene_y; }

  Colour fill_of(const SceneIdle& idle) const {
    const auto share = static_cast<float>(idle.run.idle_ratio);
    return mix(theme_.row, idle_colour(theme_, idle.run.cause),
               kFaintestBand + (kBandInk - kFaintestBand) * share);
  }

  void band(const SceneIdleRows& rows, const SceneIdle& idle) {
    const float x0 = std::floor(x(idle.x0_px)), x1 = std::max(std::floor(x(idle.x1_px)), x0 + 1);
    const ImVec2 min(x0, std::floor(y(rows.y0_px)) + 1), max(x1, std::floor(y(rows.y1_px)) - 1);
    draw_.AddRectFilled(min, max, ink(fill_of(idle)));
    if (idle.selected)
      draw_.AddRect({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1}, ink(theme_.selection), 0, 0, 2 * scale_);
  }

  void label(const SceneIdleRows& rows, const SceneIdle& idle) {
    const float px = std::min(input_.font_px, rows.label_px);
    const float left =
        std::max(x(idle.x0_px), input_.area.plot_min.x) + static_cast<float>(internal::kLabelPadPx) * scale_;
    const float top = y(rows.y0_px) + (rows.label_px - px) / 2;
    draw_.AddText(input_.font, px, {std::floor(left), std::floor(top)}, ink(label_on(fill_of(idle))),
                  idle.label.c_str());
  }

  const PaintInput& input_;
  const Scene& scene_;
  const Theme& theme_;
  ImDrawList& draw_;
  const float scale_;
};

}  // namespace

void paint_idle(const PaintInput& input, bool held, ImDrawList& draw) {
  CausePainter(input, draw).bands(held);
}

void paint_idle_labels(const PaintInput& input, bool held, ImDrawList& draw) {
  CausePainter(input, draw).labels(held);
}

void paint_path(const PaintInput& input, bool held, ImDrawList& draw) {
  CausePainter(input, draw).path(held);
}

void paint_path_steps(const PaintInput& input, ImDrawList& draw) { CausePainter(input, draw).steps(); }

}  // namespace runahead::gui
