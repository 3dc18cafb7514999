// The changes of programs of other tools' traces: synchronisations and copies. For apply() (change.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// sync:PLACE=drop, sync:PLACE=end. `place`: SyncPlace::place, "CALL@PLACE", or a CALL, for all its places.
[[nodiscard]] Status change_sync(const Change& change, std::string_view place, Program& program);

// bandwidth=FACTOR: the time of copies between host and device beyond kCopyOverhead, divided.
[[nodiscard]] Status scale_bandwidth(const Change& change, double factor, Program& program);
inline constexpr Duration kCopyOverhead = std::chrono::microseconds(1);

// pinned=1: copies of pageable memory take no longer than pinned ones of the run, and do not hold the thread.
[[nodiscard]] Status pin_copies(const Change& change, Program& program);

// "'KEY=VALUE': WANTED".
[[nodiscard]] Error wrong_change(const Change& change, const std::string& wanted);
// "a, b and 7 more".
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace runahead::predict
