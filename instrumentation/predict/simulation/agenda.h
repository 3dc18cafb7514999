// What happens next in a simulation, and what time it is in it. Internal to predict/simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// The end of a simulation. Only a damaged file has a run that takes years.
inline constexpr Duration kEndOfTime{std::int64_t{1} << 59};

inline void add_time(Duration& sum, Duration more) {
  sum = more > Duration::max() - sum ? Duration::max() : sum + more;
}

// kPart: a part of an op begins, and the part before it ends. kOpLearned: the engine learns of the end of an
// op, if it does so later. kOpAllocates: an op begins, and allocates its memory.
enum class DueKind : std::uint8_t { kPart, kOpEnds, kOpLearned, kOpAllocates, kOpReady, kFrontend };
struct Due {
  Duration at;
  DueKind kind;  // at the same time, parts and ops end first
  std::uint32_t index, server;
  bool operator>(const Due& other) const {
    if (at != other.at) return at > other.at;
    if (kind != other.kind) return kind > other.kind;
    return index > other.index;
  }
};

struct Agenda {
  Duration now{};
  bool counts = true;                 // now is within Outcome::steps_time: figures count
  std::size_t running_frontends = 0;  // those that do not wait, and have events left
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;

  void add(Duration at, DueKind kind, std::uint32_t index, std::uint32_t server = 0) {
    due.push({at, kind, index, server});
  }
  // Something else happens before or at this time.
  [[nodiscard]] bool has_before(Duration at) const { return !due.empty() && due.top().at <= at; }
};

}  // namespace runahead::predict
