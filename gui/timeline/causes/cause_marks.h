// CauseMarks: what the timeline shows of an explanation (instrumentation/causes): the idle gaps of devices,
// and the critical path. Prepared once on a background thread, so that a frame reads only what is in its
// view. Never changes afterwards; any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/explanation.h"
#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/rank_report.h"

namespace runahead::gui {

// A time in which none of the streams of a device had work.
struct IdleMark {
  TimeRange range;
  causes::IdleCause cause{};  // the main cause
  // The work that ended the gap. It begins at range.end. kNoTrack: nothing followed.
  TrackId next_track = kNoTrack;
  StringId next_name{};
};

struct IdleDevice {
  std::string name;
  bool simulated = false;
  bool host = false;            // workers of our engine on the host
  std::vector<TrackId> tracks;  // of its streams
  std::vector<IdleMark> gaps;   // sorted, disjoint
  // Of each gap, in the same order; they add up to its range. A vector of its own, because a frame reads all
  // gaps of its view, but no parts.
  std::vector<causes::IdleParts> parts;
  // The number of gaps with a cause. It is more than gaps.size() if only the longest gaps are in `gaps`.
  std::uint64_t gap_count = 0;
};

// Neighbouring segments of the critical path that have the same track and class.
struct PathPiece {
  TimeRange range;
  causes::PathClass path_class{};
  std::uint32_t track = 0;  // index into CauseMarks::path_tracks; kNoPathTrack: the trace does not say where
};
inline constexpr std::uint32_t kNoPathTrack = UINT32_MAX;

// A track on which the critical path is for some time.
class PathTrack {
 public:
  explicit PathTrack(TrackId track) : track_(track) {}

  // REQUIRES: the range begins at or after the end of the last one.
  void add(TimeRange range);

  [[nodiscard]] TrackId track() const { return track_; }
  // How long the path is on this track within `range`. O(log n).
  [[nodiscard]] Duration time_in(TimeRange range) const;

 private:
  struct Stretch {
    TimeRange range;
    Duration before{};  // the length of all earlier stretches
  };
  [[nodiscard]] Duration time_before(Timestamp t) const;

  TrackId track_;
  std::vector<Stretch> stretches_;  // sorted, disjoint
};

// A collective on one rank of several (causes/rank_report.h).
struct CollectiveMark {
  TrackId track = kNoTrack;
  Timestamp begin{};
  std::size_t ranks = 0;  // that took part
  std::string last;       // "rank 2": it came last; empty: not clear
  bool is_last = false;   // this rank came last
  Duration waited{};      // how long this rank waited for the last one
};

struct CauseMarks {
  std::uint64_t trace = 0;  // Trace::identity() of the trace that the marks are about
  std::vector<IdleDevice> devices;
  // One path for each rank; a trace of one process has one. The pieces of a path are sorted, and cover the
  // explained range together.
  std::vector<std::vector<PathPiece>> paths;
  std::vector<PathTrack> path_tracks;       // of all paths
  std::vector<CollectiveMark> collectives;  // sorted by track, then by begin
};

// Returns "rank 2: words", or the words if `rank` is empty or they name the rank themselves.
[[nodiscard]] std::string with_rank(const std::string& rank, const std::string& words);

// Adds the marks of a trace, or of one of its ranks. `rank`: "rank 2", or "". `explanation` is about
// `execution`.
void add_cause_marks(const causes::Execution& execution, const causes::Explanation& explanation,
                     const std::string& rank, CauseMarks& out);

// Adds the marks of the collectives of several ranks.
void add_collective_marks(const causes::RankReport& report, CauseMarks& out);
// Returns the collective whose slice on this track begins then; nullptr: there is none.
[[nodiscard]] const CollectiveMark* find_collective(const CauseMarks& marks, TrackId track, Timestamp begin);

// Identifies a gap, also after the trace has been explained again.
struct IdleRef {
  std::uint32_t device = 0;  // index into CauseMarks::devices
  Timestamp begin{};
  friend bool operator==(const IdleRef&, const IdleRef&) = default;
};
struct FoundIdle {  // references into CauseMarks
  const IdleDevice& device;
  const IdleMark& gap;
  const causes::IdleParts& parts;
};
// Returns the gap that begins at this time; nullopt: there is none.
[[nodiscard]] std::optional<FoundIdle> find_idle(const CauseMarks& marks, const IdleRef& ref);

// Returns the end of the cell that contains `t`. Cells begin at multiples of `length`. REQUIRES: length > 0.
[[nodiscard]] Timestamp end_of_cell(Timestamp t, Duration length);

// Gaps that are drawn as one band: one gap that is wide enough, or neighbours that are too narrow.
struct IdleRun {
  std::size_t first = 0, count = 0;  // IdleDevice::gaps[first, first + count)
  TimeRange range;
  causes::IdleCause cause{};  // the cause with the largest part of the run's idle time
  double idle_ratio = 1;      // share of the range in which the device was idle
};
// Joins the gaps that meet `view`. Time is divided into cells of the length `narrow`. Gaps that are shorter
// than a cell and begin in the same cell are joined, so there are at most 2 * view / narrow + 2 runs. The
// cells do not move with the view. REQUIRES: narrow > 0. O(gaps in the view).
void join_gaps(std::span<const IdleMark> gaps, TimeRange view, Duration narrow, std::vector<IdleRun>& out);

}  // namespace runahead::gui
