// The colours of the causes of idle time, and of the classes of the critical path.
#pragma once

#include "gui/theme/theme.h"
#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/idle_time.h"

namespace runahead::gui {

// A cause has the colour of the slices that show it, if there are any: a synchronisation that of a wait.
[[nodiscard]] Colour idle_colour(const Theme& theme, causes::IdleCause cause);
[[nodiscard]] Colour path_colour(const Theme& theme, causes::PathClass path_class);

}  // namespace runahead::gui
