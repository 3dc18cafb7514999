#include "gui/web/fit_page.h"

#include <bit>
#include <cstdint>

namespace runahead::gui {

Result<bool> fit_page(const trace::Trace& trace, const std::optional<TimeRange>& range,
                      const PageAttempt& attempt) {
  const auto joined_below = [&](int power) {
    return attempt({.range = range, .joined_below = Duration{std::int64_t{1} << power}});
  };
  Result<bool> fits = attempt({.range = range, .joined_below = {}});
  if (!fits || *fits) return fits;
  // With this T, all slices of a lane are in one or two intervals.
  const auto extent_ns = static_cast<std::uint64_t>(trace.extent().duration().count());
  int coarse = std::bit_width(extent_ns);
  fits = joined_below(coarse);
  if (!fits || !*fits) return fits;
  for (int fine = 0; coarse - fine > 1;) {
    const int middle = (coarse + fine) / 2;
    fits = joined_below(middle);
    if (!fits) return fits;
    (*fits ? coarse : fine) = middle;
  }
  return true;
}

}  // namespace runahead::gui
