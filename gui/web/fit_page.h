// Finds how much of a trace a page of a limited size can show.
#pragma once

#include <functional>
#include <optional>

#include "gui/web/reduction.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Makes the page with this reduction. Returns true if it fits.
using PageAttempt = std::function<Result<bool>(const Reduction& reduction)>;
// Tries the rows of `range` as they are, and then summaries: the limit T of the finest one that fits, among
// the powers of two in ns. The attempt that fits and has the least T is the best; a later attempt with a
// larger T never fits better. Returns false if even the coarsest summary does not fit.
[[nodiscard]] Result<bool> fit_page(const trace::Trace& trace, const std::optional<TimeRange>& range,
                                    const PageAttempt& attempt);

}  // namespace runahead::gui
