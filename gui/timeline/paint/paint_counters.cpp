// Draws counters as filled steps. In each pixel column, the fill extends from zero to the last value in this
// column. A bright line covers the values from the minimum to the maximum in the column.
#include <algorithm>
#include <cmath>

#include "gui/timeline/paint/paint_scene.h"

namespace runahead::gui {
namespace {

using trace::CounterColumn;

class CounterPainter {
 public:
  CounterPainter(const PaintInput& input, const SceneCounter& counter, ImDrawList& draw)
      : input_(input),
        counter_(counter),
        row_(input.scene.rows[counter.row]),
        draw_(draw),
        scale_(input.scene.size.scale) {}

  void paint() {
    const auto& columns = counter_.columns;
    for (std::size_t i = 0; i < columns.size();) {
      std::size_t next = i + 1;
      while (next < columns.size() && continues(columns[next - 1], columns[next])) ++next;
      step(columns[i], i > 0 ? &columns[i - 1] : nullptr, columns[next - 1].x_px + 1);
      i = next;
    }
    if (counter_.level_before) level(*counter_.level_before);
  }

 private:
  static bool continues(const CounterColumn& a, const CounterColumn& b) {
    return b.x_px == a.x_px + 1 && a.min == b.min && a.max == b.max && a.last == b.last && a.min == a.max;
  }

  float base() const { return input_.area.plot_min.y + row_.y_px + row_.height_px - 1; }
  float y(double value) const {
    const double span = std::max(counter_.axis_max - counter_.axis_min, 1e-300);
    const double share = std::clamp((value - counter_.axis_min) / span, 0.0, 1.0);
    return base() - static_cast<float>(share) * (row_.height_px - 3 * scale_);
  }

  void step(const CounterColumn& column, const CounterColumn* before, int end_x) {
    const float x0 = std::floor(input_.area.plot_min.x) + static_cast<float>(column.x_px);
    const float x1 = std::floor(input_.area.plot_min.x) + static_cast<float>(end_x);
    const float zero = y(0);
    draw_.AddRectFilled({x0, std::min(y(column.last), zero)}, {x1, std::max(y(column.last), zero)},
                        ink(input_.theme.counter, 150));
    // The line covers the column's range of values. It is at least `line` high, so that it is visible if the
    // value is constant.
    double low = column.min, high = column.max;
    const float line = std::max(1.0f, std::floor(1.5f * scale_));
    if (before != nullptr && before->x_px + 1 == column.x_px) {
      const double joint_low = std::min(low, before->last), joint_high = std::max(high, before->last);
      draw_.AddRectFilled({x0, y(joint_high)}, {x0 + 1, y(joint_low) + line}, ink(input_.theme.counter_line));
    }
    draw_.AddRectFilled({x0, std::floor(y(high))}, {x1, std::floor(y(low)) + line},
                        ink(input_.theme.counter_line));
  }

  // Draws a faint dashed line at the counter's level before the last change of the barrier
  // (TimelineState::Level).
  void level(double value) {
    if (value > counter_.axis_max || value < counter_.axis_min) return;
    const float line_y = std::floor(y(value)), dash = 6 * scale_;
    const PaintArea& area = input_.area;
    for (float x = std::floor(area.plot_min.x); x < area.plot_max.x; x += 2 * dash)
      draw_.AddRectFilled({x, line_y}, {std::min(x + dash, area.plot_max.x), line_y + std::max(1.0f, scale_)},
                          ink(input_.theme.marker, 150));
  }

  const PaintInput& input_;
  const SceneCounter& counter_;
  const SceneRow& row_;
  ImDrawList& draw_;
  const float scale_;
};

}  // namespace

void paint_counters(const PaintInput& input, bool held, ImDrawList& draw) {
  for (const SceneCounter& counter : input.scene.counters) {
    if (input.scene.rows[counter.row].held == held) CounterPainter(input, counter, draw).paint();
  }
}

}  // namespace runahead::gui
