#include "instrumentation/merge/collective_clocks.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "instrumentation/merge/recorded_clocks.h"

namespace runahead::merge {
namespace {

AlignedClock clock_of(const causes::CollectivePairs& matched, std::span<const causes::Collective> of) {
  const causes::EndLine& line = matched.line;
  return {.map = {.base_ns = line.base_ns, .offset_ns = std::llround(line.offset_ns), .drift = line.drift},
          .error_ns = std::llround(std::ceil(line.spread_ns)),
          .first_ns = ns_from(of[matched.pairs.front().first].end),
          .last_ns = ns_from(of[matched.pairs.back().first].end),
          .drift_error = line.drift_error};
}

// Finds the clocks of more and more ranks, by those whose clocks were found in the round before. So each pair
// of ranks is compared at most once, and the order of the ranks has no effect.
class Rounds {
 public:
  Rounds(std::span<const std::vector<causes::Collective>> ranks, const std::function<bool()>& stopped)
      : ranks_(ranks), stopped_(stopped), clocks_(ranks.size()) {}

  std::vector<std::optional<AlignedClock>> run() {
    if (ranks_.empty()) return clocks_;
    clocks_.front() = AlignedClock{};
    for (std::vector<std::size_t> known{0}; !known.empty();) {
      std::vector<std::size_t> found;
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        if (!clocks_[rank] && find(rank, known)) found.push_back(rank);
      }
      for (const std::size_t rank : found) clocks_[rank] = next_[rank];
      known = std::move(found);
    }
    return clocks_;
  }

 private:
  // The best clock of `rank` by one of the ranks whose clocks are known.
  bool find(std::size_t rank, const std::vector<std::size_t>& known) {
    std::optional<AlignedClock> best;
    for (const std::size_t other : known) {
      if (stopped_ && stopped_()) return false;
      const auto matched = causes::match_collectives(ranks_[rank], ranks_[other]);
      if (!matched) continue;
      AlignedClock clock = clock_of(*matched, ranks_[rank]);
      if (other != 0) clock.map = composed(clock.map, clocks_[other]->map);
      clock.error_ns += clocks_[other]->error_ns;
      clock.drift_error += clocks_[other]->drift_error;
      if (!best || clock.error_ns < best->error_ns) best = clock;
    }
    if (best) next_[rank] = *best;
    return best.has_value();
  }

  std::span<const std::vector<causes::Collective>> ranks_;
  const std::function<bool()>& stopped_;
  std::vector<std::optional<AlignedClock>> clocks_;
  std::map<std::size_t, AlignedClock> next_;
};

}  // namespace

std::vector<std::optional<AlignedClock>> clocks_by_collectives(
    std::span<const std::vector<causes::Collective>> ranks, const std::function<bool()>& stopped) {
  return Rounds(ranks, stopped).run();
}

}  // namespace runahead::merge
