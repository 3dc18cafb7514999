// Finds how the clocks of several ranks relate, from the collectives in which they took part
// (causes/collectives.h): all ranks leave an all-reduce at nearly the same time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/causes/collectives.h"
#include "instrumentation/merge/clock_alignment.h"

namespace runahead::merge {

// `ranks`: the collectives of each rank, in its own time. Element i of the result is the clock of rank i;
// rank 0 is the reference. error_ns: 95 % of the collectives end within this time of each other. It is no
// bound: if one rank always left later than another one, nothing in the traces would show it. nullopt: no
// collectives relate this rank to the reference, also not by way of other ranks. Ranks^2 calls of
// match_collectives(). Any thread.
[[nodiscard]] std::vector<std::optional<AlignedClock>> clocks_by_collectives(
    std::span<const std::vector<causes::Collective>> ranks, const std::function<bool()>& stopped = {});

}  // namespace runahead::merge
