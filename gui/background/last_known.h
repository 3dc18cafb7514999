// LastKnown: the last value that was made for a trace, as long as somebody holds it. Several panels, each on
// its own thread, share values that take long to make.
#pragma once

#include <memory>

#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

[[nodiscard]] inline bool same_version(const trace::Trace& a, const trace::Trace& b) {
  return a.identity() == b.identity() && a.version() == b.version();
}

// Any thread may call all functions. `fits` takes a const Known& and returns a bool.
template <typename Known>
class LastKnown {
 public:
  // nullptr: nobody holds it, or it does not fit.
  template <typename Fits>
  [[nodiscard]] std::shared_ptr<const Known> find(const Fits& fits) {
    const MutexLock lock(mutex_);
    return find_locked(fits);
  }
  // The same, or what `make` returns. A second caller waits until the first one has made it.
  template <typename Fits, typename Make>
  [[nodiscard]] std::shared_ptr<const Known> find_or_make(const Fits& fits, const Make& make) {
    const MutexLock lock(mutex_);
    std::shared_ptr<const Known> known = find_locked(fits);
    if (!known) {
      known = make();
      last_ = known;
    }
    return known;
  }
  void keep(const std::shared_ptr<const Known>& known) {
    const MutexLock lock(mutex_);
    last_ = known;
  }

 private:
  template <typename Fits>
  [[nodiscard]] std::shared_ptr<const Known> find_locked(const Fits& fits) RUNAHEAD_REQUIRES(mutex_) {
    std::shared_ptr<const Known> known = last_.lock();
    return known && fits(*known) ? known : nullptr;
  }

  Mutex mutex_;
  std::weak_ptr<const Known> last_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::gui
