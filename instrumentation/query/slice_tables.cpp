// The SQL tables `slice` and `wait`.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/call_place.h"
#include "instrumentation/query/row_columns.h"
#include "instrumentation/query/trace_tables.h"

namespace runahead::query {
namespace {

using trace::Slice;

constexpr auto kSliceLayout = layout_of<Slice>(
    Column{"id", "INTEGER"}, kColumnOf<&Slice::begin>, kColumnOf<&Slice::end>, kColumnOf<&Slice::name>,
    kColumnOf<&Slice::kind>, Column{"track", "INTEGER"}, Column{"track_name", "TEXT"},
    Column{"depth", "INTEGER"}, kColumnOf<&Slice::op>, kColumnOf<&Slice::size_bytes>,
    kColumnOf<&Slice::flags>, kColumnOf<&Slice::args>, Column{"open", "INTEGER"});
constexpr int kId = kSliceLayout.at("id"), kTs = kSliceLayout.at("ts"), kTrack = kSliceLayout.at("track"),
              kTrackName = kSliceLayout.at("track_name"), kDepth = kSliceLayout.at("depth"),
              kOpen = kSliceLayout.at("open");
// WaitRows also uses these three columns.
constexpr int kDur = kSliceLayout.at("dur"), kName = kSliceLayout.at("name"), kOp = kSliceLayout.at("op");

// Visits the slices that match the requested ids, tracks and times: lane by lane, then the open slices. Then
// the slices of a list.
class SliceWalk {
 public:
  explicit SliceWalk(const TraceTables& of) : of_(of) {}

  struct Part {
    Interval ids, tracks, times;
    bool of_streams = true;  // false: no slice of a stream matches
  };
  // If kinds is 0, the slices of all kinds match. `listed`: the sorted ids of closed slices that also match,
  // whatever their track and time; none of these kinds.
  void start(const Part& part, trace::SliceKinds kinds, std::span<const std::uint64_t> listed = {}) {
    part_ = part;
    kinds_ = kinds;
    listed_ = listed;
    lane_ = static_cast<std::size_t>(
        std::ranges::lower_bound(of_.lanes(), part.tracks.low, {},
                                 [](const LaneIds& ids) { return std::int64_t{raw(ids.track)}; }) -
        of_.lanes().begin());
    open_ = 0;
    phase_ = Phase::kLanes;
    enter_lane();
  }
  [[nodiscard]] bool done() const { return phase_ == Phase::kDone; }
  void next() {
    slice_.reset();
    switch (phase_) {
      case Phase::kLanes:
        ++row_;
        return find_in_lane();
      case Phase::kOpenSlices:
        ++open_;
        return find_open();
      case Phase::kListed:
        listed_ = listed_.subspan(1);
        return find_listed();
      case Phase::kDone:
        return;
    }
  }
  [[nodiscard]] std::uint64_t id() const {
    if (is_open()) return of_.closed_count() + open_;
    return here().first_id + (row_ - here().lane->first_row());
  }
  [[nodiscard]] bool is_open() const { return phase_ == Phase::kOpenSlices; }
  [[nodiscard]] bool is_listed() const { return phase_ == Phase::kListed; }
  [[nodiscard]] TrackId track() const { return is_open() ? open_slice().track : here().track; }
  [[nodiscard]] std::uint32_t depth() const { return is_open() ? open_slice().depth : here().depth; }
  [[nodiscard]] Timestamp begin() const {
    return is_open() ? open_slice().slice.begin : here().lane->begin(row_);
  }
  // The end of an open slice is not known yet. The table shows the watermark as the end. The watermark is the
  // time up to which the trace is complete.
  [[nodiscard]] const Slice& slice() const {
    if (!slice_) {
      slice_ = is_open() ? open_slice().slice : here().lane->slice(row_);
      if (is_open()) slice_->end = std::max(slice_->begin, of_.trace().watermark());
    }
    return *slice_;
  }

 private:
  enum class Phase : std::uint8_t { kLanes, kOpenSlices, kListed, kDone };
  [[nodiscard]] const LaneIds& here() const { return of_.lanes()[lane_]; }
  [[nodiscard]] const trace::OpenSlice& open_slice() const { return of_.trace().open_slices()[open_]; }
  void enter_lane() {
    for (; lane_ < of_.lanes().size() && raw(here().track) <= part_.tracks.high; ++lane_) {
      if (!matches(here().track)) continue;
      const trace::Lane& lane = *here().lane;
      const auto first = static_cast<std::int64_t>(here().first_id);
      const auto row_of = [&](std::int64_t id) {
        const std::int64_t last = first + static_cast<std::int64_t>(lane.size());
        return lane.first_row() + static_cast<std::uint64_t>(std::clamp(id, first, last) - first);
      };
      if (part_.ids.high < first) break;
      row_ = std::max(row_of(part_.ids.low), lane.first_row_beginning_from(time_of(part_.times.low)));
      end_ = part_.ids.high == INT64_MAX ? lane.end_row() : row_of(part_.ids.high + 1);
      if (part_.times.high != INT64_MAX) {
        end_ = std::min(end_, lane.first_row_beginning_from(time_of(part_.times.high + 1)));
      }
      if (find_kind()) return;
    }
    phase_ = Phase::kOpenSlices;
    find_open();
  }
  static Timestamp time_of(std::int64_t ns) { return timestamp_from_ns(ns); }
  void find_in_lane() {
    if (find_kind()) return;
    ++lane_;
    enter_lane();
  }
  [[nodiscard]] bool find_kind() {
    if (row_ < end_ && kinds_ != 0) row_ = here().lane->next_of_kinds(kinds_, row_, end_);
    return row_ < end_;
  }
  [[nodiscard]] bool matches(TrackId track) const {
    return part_.of_streams || of_.trace().track(track).info.kind != trace::TrackKind::kStream;
  }
  [[nodiscard]] bool matches(const trace::OpenSlice& open) const {
    return (kinds_ == 0 || (kinds_ & trace::kinds_of(open.slice.kind)) != 0) && matches(open.track);
  }
  void find_open() {
    const std::span<const trace::OpenSlice> all = of_.trace().open_slices();
    while (open_ < all.size() && !matches(all[open_])) ++open_;
    if (open_ < all.size()) return;
    phase_ = Phase::kListed;
    find_listed();
  }
  void find_listed() {
    while (!listed_.empty() && !part_.ids.contains(static_cast<std::int64_t>(listed_.front())))
      listed_ = listed_.subspan(1);
    if (listed_.empty()) {
      phase_ = Phase::kDone;
      return;
    }
    lane_ = static_cast<std::size_t>(
        std::ranges::upper_bound(of_.lanes(), listed_.front(), {}, &LaneIds::first_id) - of_.lanes().begin() -
        1);
    row_ = here().lane->first_row() + (listed_.front() - here().first_id);
  }

  const TraceTables& of_;
  Part part_;
  trace::SliceKinds kinds_ = 0;
  std::span<const std::uint64_t> listed_;  // those that are left
  std::size_t lane_ = 0, open_ = 0;
  std::uint64_t row_ = 0, end_ = 0;
  Phase phase_ = Phase::kDone;
  mutable std::optional<Slice> slice_;
};

void put_slice(const TraceTables& of, const SliceWalk& walk, int column, Value& value) {
  switch (column) {
    case kId:
      return value.integer(static_cast<std::int64_t>(walk.id()));
    case kTs:
      return value.integer(ns_from(walk.begin()));
    case kTrack:
      return put_track(walk.track(), value);
    case kTrackName:
      return value.text(of.trace().track(walk.track()).info.name);
    case kDepth:
      return value.integer(walk.depth());
    case kOpen:
      return value.integer(walk.is_open() ? 1 : 0);
    default:
      kSliceLayout.put(walk.slice(), of.trace(), column, value);
  }
}

class SliceRows final : public Rows {
 public:
  explicit SliceRows(const TraceTables& of) : of_(of), walk_(of) {}
  void start(const Wanted& wanted) override {
    walk_.start({wanted.of(kId), wanted.of(kTrack), wanted.of(kTs), true}, 0);
  }
  [[nodiscard]] bool done() const override { return walk_.done(); }
  void next() override { walk_.next(); }
  void column(int column, Value& value) const override { put_slice(of_, walk_, column, value); }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(walk_.id()); }

 private:
  const TraceTables& of_;
  SliceWalk walk_;
};

enum WaitColumn : int {
  kWaitSlice,
  kWaitTs,
  kWaitDur,
  kWaitName,
  kWaitTrack,
  kWaitTrackName,
  kWaitOp,
  kWaitChain,
  kWaitLongestOp,
  kWaitPart,
  kWaitAwaited = kWaitPart + static_cast<int>(analysis::kWaitPartCount),
  kWaitAwaitedTrack,
  kWaitEvidence,
  kWaitPlace,
  kWaitExplicit,
  kWaitIdleAfter
};
constexpr std::array<Column, 24> kWaitColumns{{{"slice", "INTEGER"},
                                               {"ts", "INTEGER"},
                                               {"dur", "INTEGER"},
                                               {"name", "TEXT"},
                                               {"track", "INTEGER"},
                                               {"track_name", "TEXT"},
                                               {"op", "INTEGER"},
                                               {"chain_ops", "INTEGER"},
                                               {"longest_op", "INTEGER"},
                                               // how much of the wait's time belongs to each
                                               // analysis::WaitPart
                                               {"executing", "INTEGER"},
                                               {"copying", "INTEGER"},
                                               {"queueing", "INTEGER"},
                                               {"dispatch", "INTEGER"},
                                               {"enqueue", "INTEGER"},
                                               {"wake_up", "INTEGER"},
                                               {"finished", "INTEGER"},
                                               {"held_by_limit", "INTEGER"},
                                               {"other", "INTEGER"},
                                               // what causes::Synchronisations knows of the wait
                                               {"awaited", "TEXT"},
                                               {"awaited_track", "TEXT"},
                                               {"evidence", "TEXT"},
                                               {"place", "TEXT"},
                                               {"explicit", "INTEGER"},
                                               {"idle_after", "INTEGER"}}};
static_assert(kWaitColumns.size() == kWaitIdleAfter + 1);

class WaitRows final : public Rows {
 public:
  explicit WaitRows(const TraceTables& of) : of_(of), walk_(of) {}
  void start(const Wanted& wanted) override {
    reason_.reset();
    // On the track of a stream, such a slice is the profiler's record of a call that has its own slice.
    walk_.start({wanted.of(kWaitSlice), wanted.of(kWaitTrack), wanted.of(kWaitTs), false},
                trace::kinds_of(trace::SliceKind::kWait), of_.other_waits());
  }
  [[nodiscard]] bool done() const override { return walk_.done(); }
  void next() override {
    reason_.reset();
    walk_.next();
  }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(walk_.id()); }
  void column(int column, Value& value) const override {
    switch (column) {
      case kWaitSlice:
        return put_slice(of_, walk_, kId, value);
      case kWaitTs:
        return put_slice(of_, walk_, kTs, value);
      case kWaitDur:
        return put_slice(of_, walk_, kDur, value);
      case kWaitName:
        return put_slice(of_, walk_, kName, value);
      case kWaitTrack:
        return put_slice(of_, walk_, kTrack, value);
      case kWaitTrackName:
        return put_slice(of_, walk_, kTrackName, value);
      case kWaitOp:  // the op of another call is the one that it launched
        if (!walk_.is_listed()) put_slice(of_, walk_, kOp, value);
        return;
      case kWaitChain:
        return value.integer(static_cast<std::int64_t>(reason().op_count));
      case kWaitLongestOp:
        return put_op(reason().longest, value);
      case kWaitAwaited:
      case kWaitAwaitedTrack:
      case kWaitEvidence:
      case kWaitPlace:
      case kWaitExplicit:
      case kWaitIdleAfter:
        return put_cause(column, value);
      default:
        return value.integer(ns_from(reason().split.parts[static_cast<std::size_t>(column - kWaitPart)]));
    }
  }

 private:
  // Computed only if a column needs it, because wait_reason() may have to follow a long chain of ops.
  [[nodiscard]] const analysis::WaitReason& reason() const {
    if (!reason_ && walk_.is_listed()) {
      reason_.emplace();
      reason_->split = causes::wait_split(synchronisation().synchronisation->parts);
    }
    if (!reason_) {
      reason_ = analysis::wait_reason(of_.trace(), {walk_.slice(), walk_.track(), walk_.is_open()},
                                      {.most_listed = 0});
      // a trace of another tool does not state what its waits waited for
      const bool unknown = reason_->split.of(analysis::WaitPart::kOther) == reason_->split.total();
      if (const auto* const sync = unknown ? synchronisation().synchronisation : nullptr)
        reason_->split = causes::wait_split(sync->parts);
    }
    return *reason_;
  }
  [[nodiscard]] causes::Synchronisations::Found synchronisation() const {
    return of_.synchronisations().find(walk_.track(), walk_.slice());
  }
  // NULL: unknown.
  void put_cause(int column, Value& value) const {
    const auto [found_in, sync] = synchronisation();
    if (sync == nullptr) return;
    const causes::Execution& execution = *found_in;
    if (column == kWaitIdleAfter) return value.integer(ns_from(sync->idle_after));
    if (column == kWaitPlace || column == kWaitExplicit) {
      const causes::HostCall& call = execution.calls()[sync->call];
      const causes::CallPlace place = causes::place_of(of_.trace(), call);
      if (column == kWaitPlace) return value.copied_text(place.text());
      return value.integer(causes::is_synchronisation(call.role) && place.op.empty() ? 1 : 0);
    }
    if (sync->awaited == causes::kNone) return;
    const causes::Work& work = execution.works()[sync->awaited];
    if (column == kWaitAwaited) return value.text(of_.trace().string(work.name));
    if (column == kWaitEvidence)
      return value.text(sync->evidence == causes::Evidence::kRecorded ? "recorded" : "inferred");
    value.text(of_.trace().track(execution.streams()[work.stream].track).info.name);
  }
  const TraceTables& of_;
  SliceWalk walk_;
  mutable std::optional<analysis::WaitReason> reason_;
};

}  // namespace

void add_slice_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const auto slices = static_cast<double>(of.slice_count());
  const double lanes = std::max(static_cast<double>(of.lanes().size()), 1.0);
  add_table_of<SliceRows>(
      of, {"slice", kSliceLayout.columns(), {{kId, 1}, {kTrack, slices / lanes}, {kTs, lanes}}, slices}, out);
  const double waits = slices / 16 + 1;  // a guess
  add_table_of<WaitRows>(
      of, {"wait", kWaitColumns, {{kWaitSlice, 1}, {kWaitTrack, waits / 4}, {kWaitTs, 1}}, waits}, out);
}

}  // namespace runahead::query
