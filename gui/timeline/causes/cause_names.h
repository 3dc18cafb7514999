// The names of causes in the language of the window.
#pragma once

#include <string>

#include "gui/text/text.h"
#include "gui/timeline/causes/cause_marks.h"

namespace runahead::gui {

// "synchronisation", "next work queued".
[[nodiscard]] const char* idle_cause_name(causes::IdleCause cause);
// "the host waited for a device"; lower case, without a full stop.
[[nodiscard]] std::string idle_cause_sentence(causes::IdleCause cause);
// "host", "communication".
[[nodiscard]] const char* path_class_name(causes::PathClass path_class);

// "idle 3.1 ms: synchronisation"
[[nodiscard]] std::string idle_label(const IdleMark& gap);

// A part of idle time, or of the critical path.
template <typename Kind>
struct CausePart {
  Kind kind{};
  Duration time{};
  double share = 0;  // of all parts, 0..1
};
// The parts of idle time that are not zero, largest first.
[[nodiscard]] std::vector<CausePart<causes::IdleCause>> idle_parts(const causes::IdleParts& parts);
// The classes of the critical path whose time is not zero, in the order of PathClass.
[[nodiscard]] std::vector<CausePart<causes::PathClass>> path_parts(const causes::CriticalPath& path);

}  // namespace runahead::gui
