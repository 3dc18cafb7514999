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

// ("cuMemAlloc_v2").
std::string without_version(const std::string& name) {
  const std::size_t version = name.rfind("_v");
  if (version == name.npos || name.find_first_not_of("0123456789", version + 2) != name.npos) return name;
  const bool of_cuda = name.size() - version - 2 >= 4;
  return of_cuda || !name.starts_with("cuda") ? name.substr(0, version) : name;
}

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
