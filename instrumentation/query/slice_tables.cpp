// The SQL tables `slice` and `wait`.
#include <algorithm>
#include <array>
#include <optional>

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

// Visits the slices that match the requested ids, tracks and times: lane by lane, then the open slices.
class SliceWalk {
 public:
  explicit SliceWalk(const TraceTables& of) : of_(of) {}

  struct Part {
    Interval ids, tracks, times;
  };
  // If kinds is 0, the slices of all kinds match.
  void start(const Part& part, trace::SliceKinds kinds) {
    part_ = part;
    kinds_ = kinds;
    lane_ = static_cast<std::size_t>(
        std::ranges::lower_bound(of_.lanes(), part.tracks.low, {},
                                 [](const LaneIds& ids) { return std::int64_t{raw(ids.track)}; }) -
        of_.lanes().begin());
    open_ = 0;
    in_lanes_ = true;
    enter_lane();
  }
  [[nodiscard]] bool done() const { return !in_lanes_ && open_ >= of_.trace().open_slices().size(); }
  void next() {
    slice_.reset();
    if (!in_lanes_) {
      ++open_;
      return skip_open();
    }
    ++row_;
    find_in_lane();
  }
  [[nodiscard]] std::uint64_t id() const {
    if (!in_lanes_) return of_.closed_count() + open_;
    return here().first_id + (row_ - here().lane->first_row());
  }
  [[nodiscard]] bool is_open() const { return !in_lanes_; }
  [[nodiscard]] TrackId track() const { return in_lanes_ ? here().track : open_slice().track; }
  [[nodiscard]] std::uint32_t depth() const { return in_lanes_ ? here().depth : open_slice().depth; }
  [[nodiscard]] Timestamp begin() const {
    return in_lanes_ ? here().lane->begin(row_) : open_slice().slice.begin;
  }
  // The end of an open slice is not known yet. The table shows the watermark as the end. The watermark is the
  // time up to which the trace is complete.
  [[nodiscard]] const Slice& slice() const {
    if (!slice_) {
      slice_ = in_lanes_ ? here().lane->slice(row_) : open_slice().slice;
      if (!in_lanes_) slice_->end = std::max(slice_->begin, of_.trace().watermark());
    }
    return *slice_;
  }

 private:
  [[nodiscard]] const LaneIds& here() const { return of_.lanes()[lane_]; }
  [[nodiscard]] const trace::OpenSlice& open_slice() const { return of_.trace().open_slices()[open_]; }
  void enter_lane() {
    for (; lane_ < of_.lanes().size() && raw(here().track) <= part_.tracks.high; ++lane_) {
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
    in_lanes_ = false;
    skip_open();
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
  void skip_open() {
    slice_.reset();
    while (!done() && kinds_ != 0 && (kinds_ & trace::kinds_of(open_slice().slice.kind)) == 0) ++open_;
  }

  const TraceTables& of_;
  Part part_;
  trace::SliceKinds kinds_ = 0;
  std::size_t lane_ = 0, open_ = 0;
  std::uint64_t row_ = 0, end_ = 0;
  bool in_lanes_ = false;
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
    walk_.start({wanted.of(kId), wanted.of(kTrack), wanted.of(kTs)}, 0);
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
    walk_.start({wanted.of(kWaitSlice), wanted.of(kWaitTrack), wanted.of(kWaitTs)},
                trace::kinds_of(trace::SliceKind::kWait));
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
      case kWaitOp:
        return put_slice(of_, walk_, kOp, value);
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
