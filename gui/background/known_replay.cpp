#include "gui/background/known_replay.h"

#include <chrono>

#include "gui/background/last_known.h"

namespace runahead::gui {
namespace {

constexpr std::chrono::seconds kMostRead{5};
constexpr std::size_t kMostOps = 8'000;

LastKnown<RankedChanges>& last_ranking() {
  static LastKnown<RankedChanges> last;
  return last;
}

}  // namespace

predict::ReadOptions recent_part(const BarrierPolicy& barrier) {
  return {.most = kMostRead, .most_ops = kMostOps, .barrier = barrier};
}

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
