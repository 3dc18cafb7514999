// Findings: what costs time in a run, worst first. Each has its cost, the place of its evidence on the
// timeline, and what usually helps. The rules whose names begin with "nsys_" find the rows of the rules of
// `nsys analyze` with the same names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/causes/communication.h"
#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::causes {

struct Finding {
  std::string rule;      // "sync_in_every_step"
  std::string sentence;  // what happens, where, and what it costs
  std::string help;      // what usually helps
  std::uint64_t count = 0;
  Duration cost{};  // how much time it took in the explained range
  // The change that `runahead predict --change` makes against it: "sync:CALL@PLACE=drop", "pinned=1". Empty:
  // none.
  std::string change{};
  // where the longest case is on the timeline
  TrackId track = kNoTrack;
  TimeRange range;
};

// What the rules look at.
struct FindingInput {
  const Execution* execution = nullptr;
  const std::vector<Synchronisation>* synchronisations = nullptr;
  const std::vector<SyncGroup>* groups = nullptr;
  const Steps* steps = nullptr;
  const std::vector<IdleReport>* devices = nullptr;
  const std::vector<CommunicationTimes>* communication = nullptr;  // of the devices, in the same order
  TimeRange range;
};

// Highest cost first, but the rules of nsys last: they name no cause. A rule without a case makes no finding.
[[nodiscard]] std::vector<Finding> find_findings(const FindingInput& input);

}  // namespace runahead::causes
