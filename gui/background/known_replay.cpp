#include "gui/background/known_replay.h"

#include "instrumentation/base/mutex.h"

namespace runahead::gui {
namespace {

template <typename Known>
struct LastKnown {
  Mutex mutex;
  std::weak_ptr<const Known> last RUNAHEAD_GUARDED_BY(mutex);
};
LastKnown<KnownReplay>& last_replay() {
  static LastKnown<KnownReplay> last;
  return last;
}
LastKnown<RankedChanges>& last_ranking() {
  static LastKnown<RankedChanges> last;
  return last;
}

bool is_of(const KnownReplay& known, const trace::Trace& trace) {
  return known.trace.identity() == trace.identity() && known.trace.version() == trace.version();
}

}  // namespace

std::shared_ptr<const KnownReplay> known_replay(const trace::Trace& trace) {
  LastKnown<KnownReplay>& last = last_replay();
  const MutexLock lock(last.mutex);
  std::shared_ptr<const KnownReplay> known = last.last.lock();
  if (known && is_of(*known, trace)) return known;
  known = std::make_shared<const KnownReplay>(trace.snapshot());
  last.last = known;
  return known;
}

void share_ranked_changes(const std::shared_ptr<const RankedChanges>& ranked) {
  LastKnown<RankedChanges>& last = last_ranking();
  const MutexLock lock(last.mutex);
  last.last = ranked;
}

std::shared_ptr<const RankedChanges> ranked_changes(const trace::Trace& trace) {
  LastKnown<RankedChanges>& last = last_ranking();
  const MutexLock lock(last.mutex);
  std::shared_ptr<const RankedChanges> ranked = last.last.lock();
  return ranked && is_of(*ranked->known, trace) ? ranked : nullptr;
}

}  // namespace runahead::gui
