#include "instrumentation/merge/collective_clocks.h"

#include <cmath>
#include <cstddef>

#include "instrumentation/merge/recorded_clocks.h"

namespace runahead::merge {
namespace {

AlignedClock clock_of(const causes::CollectivePairs& matched, std::span<const causes::Collective> of) {
  const causes::EndLine& line = matched.line;
  return {.map = {.base_ns = line.base_ns, .offset_ns = std::llround(line.offset_ns), .drift = line.drift},
          .error_ns = std::llround(std::ceil(line.spread_ns)),
          .first_ns = ns_from(of[matched.pairs.front().first].end),
          .last_ns = ns_from(of[matched.pairs.back().first].end)};
}

// The best clock of `rank` by a rank whose clock is known.
std::optional<AlignedClock> best_clock(std::size_t rank,
                                       std::span<const std::vector<causes::Collective>> ranks,
                                       std::span<const std::optional<AlignedClock>> known) {
  std::optional<AlignedClock> best;
  for (std::size_t other = 0; other < ranks.size(); ++other) {
    if (!known[other]) continue;
    const auto matched = causes::match_collectives(ranks[rank], ranks[other]);
    if (!matched) continue;
    AlignedClock clock = clock_of(*matched, ranks[rank]);
    if (other != 0) clock.map = composed(clock.map, known[other]->map);
    clock.error_ns += known[other]->error_ns;
    if (!best || clock.error_ns < best->error_ns) best = clock;
  }
  return best;
}

}  // namespace

std::vector<std::optional<AlignedClock>> clocks_by_collectives(
    std::span<const std::vector<causes::Collective>> ranks) {
  std::vector<std::optional<AlignedClock>> clocks(ranks.size());
  if (ranks.empty()) return clocks;
  clocks.front() = AlignedClock{};
  for (bool news = true; news;) {
    news = false;
    const std::vector<std::optional<AlignedClock>> known =
        clocks;  // so that the order of ranks has no effect
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
      if (clocks[rank]) continue;
      clocks[rank] = best_clock(rank, ranks, known);
      news = news || clocks[rank].has_value();
    }
  }
  return clocks;
}

}  // namespace runahead::merge
