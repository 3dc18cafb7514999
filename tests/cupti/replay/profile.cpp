#include "tests/cupti/replay/profile.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace runahead::testing {
namespace {

// Calls `visit` with each time of the profile.
template <typename Visit>
void each_time(Profile& profile, Visit visit) {
  const auto visit_all = [&](auto& rows) {
    for (auto& row : rows) visit(row.begin), visit(row.end);
  };
  visit_all(profile.work);
  visit_all(profile.calls);
  visit_all(profile.waits);
  visit_all(profile.ranges);
  visit_all(profile.overheads);
  for (ProfiledMemory& memory : profile.memory) visit(memory.at);
}

}  // namespace

void begin_at_zero(std::vector<Profile>& profiles) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (Profile& profile : profiles) each_time(profile, [&](std::int64_t at) { first = std::min(first, at); });
  for (Profile& profile : profiles) {
    each_time(profile, [&](std::int64_t& at) { at -= first; });
    // As the process began them: of ranges that begin together, the outer one first.
    std::stable_sort(profile.ranges.begin(), profile.ranges.end(),
                     [](const ProfiledRange& a, const ProfiledRange& b) {
                       return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
                     });
  }
}

}  // namespace runahead::testing
