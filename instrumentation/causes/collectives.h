// Collective: an operation in which several ranks of a distributed program take part, such as an all-reduce,
// as the trace of one rank shows it: a kernel that begins when this rank has arrived, and ends when all ranks
// have.
//
// match_collectives() finds which collectives of two ranks are the same operation, although the clocks of
// their traces differ. Method: no rank can leave an all-reduce before all have arrived, and all leave it
// within microseconds of each other. So if the pairs are right, the ends of both ranks differ by a straight
// line: the offset and the drift of the clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/steps.h"

namespace runahead::causes {

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBarrier,
  kBroadcast,
  kReduce,
  kSendReceive,  // transfers between single ranks; NCCL also makes an all-to-all of them
  kOther,
};
inline constexpr std::size_t kCollectiveKindCount = 9;
[[nodiscard]] std::string_view key_of(CollectiveKind kind);  // "all_reduce" and so on
// By the name of the kernel, or the name of the operation that PyTorch's profiler writes beside it. nullopt:
// the name is not that of a collective.
[[nodiscard]] std::optional<CollectiveKind> collective_kind(std::string_view name);
// True if no rank can leave the collective before all ranks have entered it.
[[nodiscard]] bool waits_for_all(CollectiveKind kind);

struct Collective {
  Timestamp begin{}, end{};
  TrackId stream = kNoTrack;
  CollectiveKind kind = CollectiveKind::kOther;
  std::string group;           // the name of the process group; empty: not stated
  std::string members;         // the ranks of the group, as the trace writes them; empty: not stated
  std::int64_t sequence = -1;  // its number within the group; -1: not stated
  std::int64_t elements = -1;  // that this rank sent; -1: not stated
  std::int64_t step = -1;      // the number of the step in which it was launched; -1: unknown

  [[nodiscard]] TimeRange range() const { return {begin, end}; }
};

// The collectives of a trace, or of one rank, in the order of their begins. Those of a group of one rank are
// left out. O(n log n).
[[nodiscard]] std::vector<Collective> find_collectives(const Execution& execution, const Steps& steps);

// How the ends of the collectives of one rank (`of`) differ from those of another (`reference`):
//   end in reference = end + offset_ns + (end - base_ns) * drift
struct EndLine {
  std::int64_t base_ns = 0;
  double offset_ns = 0, drift = 0;
  double spread_ns = 0;    // 95 % of the ends are within this distance of the line
  double drift_error = 0;  // the drift is wrong by at most this much, with a probability of 99 %

  [[nodiscard]] double to_reference(double ns) const {
    return ns + offset_ns + (ns - static_cast<double>(base_ns)) * drift;
  }
};

struct CollectivePairs {
  // indices into the lists of both ranks, increasing
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  EndLine line;  // from the time of the first rank to that of the second
};

// The same collectives of two ranks. They are assigned by their number in the process group if both traces
// state it, otherwise by the step and their order in it, otherwise by their order in the whole trace (at most
// 2000 places earlier or later). Pairs whose ends are far from the line are left out. nullopt: there is no
// evidence. It needs at least 4 pairs of collectives that wait for all ranks, by the order 20. 95 % of their
// ends agree within 100 us, and ten times better than collectives follow each other; the drift is at most 1
// ms per second, as between two clocks that NTP corrects. By the order, no other assignment may be nearly as
// good. The collectives of all process groups must agree, or those of one group. O(n log n), by the order O(n
// + 4 million).
[[nodiscard]] std::optional<CollectivePairs> match_collectives(std::span<const Collective> of,
                                                               std::span<const Collective> reference);

}  // namespace runahead::causes
