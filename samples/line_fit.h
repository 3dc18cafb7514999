// Fits a straight line to measurements. Internal to samples.
#pragma once

#include <span>

namespace runahead::samples {

struct Measured {
  double x = 0, y = 0;  // y > 0
};
struct Line {
  double intercept = 0, slope = 0;
};
// The line with the least sum of squared relative errors ((fit - y) / y). With relative errors a copy of 4
// KiB has the same weight as a copy of 4 MiB. With absolute errors the small copy would have almost no
// weight, because the noise in the time of the large copy alone exceeds the whole time of the small copy.
// REQUIRES: at least two different x.
[[nodiscard]] Line fit_line(std::span<const Measured> points);

}  // namespace runahead::samples
