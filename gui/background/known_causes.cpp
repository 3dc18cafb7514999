#include "gui/background/known_causes.h"

#include "gui/background/last_known.h"

namespace runahead::gui {

std::shared_ptr<const KnownCauses> known_causes(const trace::Trace& trace) {
  static LastKnown<KnownCauses> last;
  return last.find_or_make([&](const KnownCauses& known) { return same_version(known.trace, trace); },
                           [&] { return std::make_shared<const KnownCauses>(trace.snapshot()); });
}

}  // namespace runahead::gui
