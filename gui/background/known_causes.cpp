#include "gui/background/known_causes.h"

#include "instrumentation/base/mutex.h"

namespace runahead::gui {
namespace {

struct LastCauses {
  Mutex mutex;
  std::weak_ptr<const KnownCauses> causes RUNAHEAD_GUARDED_BY(mutex);
};
LastCauses& last_causes() {
  static LastCauses last;
  return last;
}

}  // namespace

std::shared_ptr<const KnownCauses> known_causes(const trace::Trace& trace) {
  LastCauses& last = last_causes();
  const MutexLock lock(last.mutex);
  std::shared_ptr<const KnownCauses> known = last.causes.lock();
  const bool same =
      known && known->trace.identity() == trace.identity() && known->trace.version() == trace.version();
  if (!same) {
    known = std::make_shared<const KnownCauses>(trace.snapshot());
    last.causes = known;
  }
  return known;
}

bool has_ops(const trace::Trace& trace) { return trace.op_count() > 0 || !trace.open_ops().empty(); }

}  // namespace runahead::gui
