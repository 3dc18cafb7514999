// The processes of a joined trace (`runahead merge`, `explain A B`): each has a group of tracks of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::trace {

struct Rank {
  TrackId group = kNoTrack;            // its tracks are below this one
  std::string name;                    // "rank 2: train.py (4711)"
  std::optional<std::int64_t> number;  // of MPI, torchrun or PyTorch's profiler
  std::int64_t world_size = 0;         // number of ranks of the program; 0: not stated
  std::string clock;           // how its clock relates to the first one: "collectives", "unknown", ...
  std::int64_t offset_ns = 0;  // its time 0 in the time of the first process
  double drift_ppm = 0;
  std::int64_t error_ns = 0;  // of its times; 0: exact, or unknown if `clock` is "unknown" or "dates"

  // "rank 2", or the name if it has no number.
  [[nodiscard]] std::string short_name() const;
  // False if nothing bounds the error of its times.
  [[nodiscard]] bool is_placed() const { return clock != "unknown" && clock != "dates"; }
};

// In the order in which they were joined. Empty: the trace is that of one capture, or was joined by an older
// version, which did not state the groups.
[[nodiscard]] std::vector<Rank> ranks_of(const Trace& trace);

// The track without a parent above `track`, or `track` itself.
[[nodiscard]] TrackId root_of(const Trace& trace, TrackId track);

}  // namespace runahead::trace
