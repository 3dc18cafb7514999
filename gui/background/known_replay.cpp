#include "gui/background/known_replay.h"

#include "gui/background/last_known.h"

namespace runahead::gui {
namespace {

LastKnown<RankedChanges>& last_ranking() {
  static LastKnown<RankedChanges> last;
  return last;
}

}  // namespace

std::shared_ptr<const KnownReplay> known_replay(const trace::Trace& trace) {
  static LastKnown<KnownReplay> last;
  return last.find_or_make([&](const KnownReplay& known) { return same_version(known.trace, trace); },
                           [&] { return std::make_shared<const KnownReplay>(trace.snapshot()); });
}

void share_ranked_changes(const std::shared_ptr<const RankedChanges>& ranked) { last_ranking().keep(ranked); }

std::shared_ptr<const RankedChanges> ranked_changes(const trace::Trace& trace) {
  return last_ranking().find(
      [&](const RankedChanges& ranked) { return same_version(ranked.known->trace, trace); });
}

}  // namespace runahead::gui
