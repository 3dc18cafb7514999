#include "samples/line_fit.h"

#include "instrumentation/base/check.h"

namespace runahead::samples {

Line fit_line(std::span<const Measured> points) {
  double weights = 0, mean_x = 0, mean_y = 0;
  for (const Measured& p : points) {
    RUNAHEAD_CHECK(p.y > 0);
    const double weight = 1 / (p.y * p.y);
    weights += weight;
    mean_x += weight * p.x;
    mean_y += weight * p.y;
  }
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0, xy = 0;
  for (const Measured& p : points) {
    const double weight = 1 / (p.y * p.y);
    xx += weight * (p.x - mean_x) * (p.x - mean_x);
    xy += weight * (p.x - mean_x) * (p.y - mean_y);
  }
  RUNAHEAD_CHECK(xx > 0);
  const double slope = xy / xx;
  return {.intercept = mean_y - slope * mean_x, .slope = slope};
}

}  // namespace runahead::samples
