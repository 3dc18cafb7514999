#include "samples/frontend_time.h"

#include <algorithm>

#include "samples/clock.h"

namespace runahead::samples {

double FrontendTime::all_blocked_s() const { return static_cast<double>(engine_.stats().blocked_ns) * 1e-9; }

void FrontendTime::start() {
  begin_s_ = now_s();
  blocked_before_s_ = all_blocked_s();
  other_s_ = 0;
}

void FrontendTime::begin_own_work() {
  if (depth_++ > 0) return;
  own_blocked_before_s_ = all_blocked_s();
  own_begin_s_ = now_s();
}

void FrontendTime::end_own_work() {
  if (--depth_ > 0) return;
  const double taken_s = now_s() - own_begin_s_;
  other_s_ += std::max(0.0, taken_s - (all_blocked_s() - own_blocked_before_s_));
}

FrontendTime::Split FrontendTime::split() const {
  Split split{
      .all_s = now_s() - begin_s_, .blocked_s = all_blocked_s() - blocked_before_s_, .other_s = other_s_};
  split.enqueue_s = std::max(0.0, split.all_s - split.blocked_s - split.other_s);
  return split;
}

}  // namespace runahead::samples
