#include "instrumentation/analysis/busy_time.h"

#include <algorithm>

#include "instrumentation/trace/lane_reader.h"

namespace runahead::analysis {
namespace {

// Reads a lane's slices in order, skipping slices of other kinds.
class LaneCursor {
 public:
  LaneCursor(const trace::Lane& lane, trace::SliceKinds kinds, TimeRange range)
      : reader_(lane), kinds_(kinds) {
    next_ = lane.first_row_ending_after(range.begin);
    last_ = lane.first_row_beginning_from(range.end, next_);
    advance();
  }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] TimeRange current() const { return current_; }
  void advance() {
    const std::uint64_t row = reader_.next_of_kinds(kinds_, next_, last_);
    done_ = row >= last_;
    if (done_) return;
    current_ = reader_.times(row);
    next_ = row + 1;
  }

 private:
  trace::LaneReader reader_;
  trace::SliceKinds kinds_;
  std::uint64_t next_ = 0, last_ = 0;
  TimeRange current_{};
  bool done_ = false;
};

// If `added` overlaps or touches the last range, extends that range. Otherwise appends `added`. REQUIRES: the
// ranges of successive calls are sorted by begin.
void extend(Ranges& ranges, TimeRange added) {
  if (added.empty()) return;
  if (!ranges.empty() && added.begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, added.end);
  } else {
    ranges.push_back(added);
  }
}

TimeRange clipped(TimeRange range, TimeRange to) {
  return {std::max(range.begin, to.begin), std::min(range.end, to.end)};
}

}  // namespace

Duration total(const Ranges& ranges) {
  Duration sum{};
  for (const TimeRange& range : ranges) sum += range.duration();
  return sum;
}

Duration total_overlap(const Ranges& a, const Ranges& b) {
  Duration sum{};
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const TimeRange both = clipped(a[i], b[j]);
    if (!both.empty()) sum += both.duration();
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

Ranges busy_ranges(std::span<const trace::Lane* const> lanes, trace::SliceKinds kinds, TimeRange range) {
  Ranges out;
  std::vector<LaneCursor> cursors;
  for (const trace::Lane* lane : lanes) {
    LaneCursor cursor(*lane, kinds, range);
    if (!cursor.done()) cursors.push_back(cursor);
  }
  const auto later = [](const LaneCursor& a, const LaneCursor& b) {
    return a.current().begin > b.current().begin;
  };
  std::make_heap(cursors.begin(), cursors.end(), later);
  while (!cursors.empty()) {
    std::pop_heap(cursors.begin(), cursors.end(), later);
    LaneCursor& first = cursors.back();
    // Usually, several rows of one lane begin before the next row of any other lane. This loop takes these
    // rows without a heap operation for each row.
    const Timestamp until = cursors.size() > 1 ? cursors.front().current().begin : Timestamp::max();
    do {
      extend(out, clipped(first.current(), range));
      first.advance();
    } while (!first.done() && first.current().begin <= until);
    if (first.done()) {
      cursors.pop_back();
    } else {
      std::push_heap(cursors.begin(), cursors.end(), later);
    }
  }
  return out;
}

void add_range(Ranges& ranges, TimeRange added) {
  if (added.empty()) return;
  const auto first = std::lower_bound(ranges.begin(), ranges.end(), added.begin,
                                      [](const TimeRange& range, Timestamp t) { return range.end < t; });
  auto last = first;
  for (; last != ranges.end() && last->begin <= added.end; ++last) {
    added.begin = std::min(added.begin, last->begin);
    added.end = std::max(added.end, last->end);
  }
  ranges.insert(ranges.erase(first, last), added);
}

Ranges union_of(std::vector<TimeRange> ranges) {
  std::ranges::sort(ranges, {}, &TimeRange::begin);
  Ranges out;
  for (const TimeRange& range : ranges) {
    if (!range.empty()) add_range(out, range);
  }
  return out;
}

}  // namespace runahead::analysis
