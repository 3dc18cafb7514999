#include "tests/support/trace_builder.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::testing {

using trace::Batch;
using trace::OpenSlice;
using trace::OpRow;
using trace::Slice;
using trace::SliceKind;
using trace::TrackInfo;
using trace::TrackKind;

TraceBuilder::TraceBuilder() { intern({}); }

StringId TraceBuilder::intern(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = StringId(static_cast<std::uint32_t>(strings_.size()));
  strings_.emplace_back(text);
  ids_.emplace(std::string(text), id);
  return id;
}

TrackId TraceBuilder::add_track(TrackInfo info) {
  info.id = TrackId(static_cast<std::uint32_t>(tracks_.size()));
  tracks_.push_back(std::move(info));
  return tracks_.back().id;
}

TraceBuilder& TraceBuilder::group(std::string_view name, std::int32_t sort_order) {
  group_ = current_ =
      add_track({.kind = TrackKind::kGroup, .sort_order = sort_order, .name = std::string(name)});
  return *this;
}

TraceBuilder& TraceBuilder::end_group() {
  group_ = kNoTrack;
  return *this;
}

TraceBuilder& TraceBuilder::track(std::string_view name, TrackKind kind) {
  current_ = add_track({.parent = group_, .kind = kind, .name = std::string(name)});
  return *this;
}

TraceBuilder& TraceBuilder::counter(std::string_view name, trace::CounterRole role, trace::Unit unit) {
  current_ = add_track(
      {.parent = group_, .kind = TrackKind::kCounter, .unit = unit, .role = role, .name = std::string(name)});
  return *this;
}

TraceBuilder& TraceBuilder::device(std::string_view name, bool simulated) {
  TrackInfo& info = tracks_[raw(last_track())];
  info.device = name;
  info.simulated = simulated;
  return *this;
}

TraceBuilder& TraceBuilder::numbers(std::int64_t pid, std::int64_t tid) {
  tracks_[raw(last_track())].pid = pid;
  tracks_[raw(last_track())].tid = tid;
  return *this;
}

TraceBuilder& TraceBuilder::sort_order(std::int32_t order) {
  tracks_[raw(last_track())].sort_order = order;
  return *this;
}

TraceBuilder& TraceBuilder::on(std::string_view track) {
  current_ = track_id(track);
  return *this;
}

TrackId TraceBuilder::track_id(std::string_view name) const {
  for (std::size_t i = tracks_.size(); i-- > 0;) {
    if (tracks_[i].name == name) return tracks_[i].id;
  }
  RUNAHEAD_CHECK_OP(name, ==, "a track that was defined");
  return kNoTrack;
}

TrackId TraceBuilder::last_track() const {
  RUNAHEAD_CHECK(current_ != kNoTrack);  // the test must define a track first
  return current_;
}

TraceBuilder& TraceBuilder::slice(std::string_view name, Duration begin, Duration duration, SliceKind kind,
                                  OpId op) {
  const Slice row{
      .begin = at(begin), .end = at(begin + duration), .name = intern(name), .kind = kind, .op = op};
  slices_.push_back({.track = last_track(), .slice = row});
  return *this;
}

TraceBuilder& TraceBuilder::open_slice(std::string_view name, Duration begin, SliceKind kind, OpId op) {
  const Slice row{.begin = at(begin), .end = at(begin), .name = intern(name), .kind = kind, .op = op};
  slices_.push_back({.track = last_track(), .open = true, .slice = row});
  return *this;
}

TraceBuilder::PendingSlice& TraceBuilder::last_slice() {
  RUNAHEAD_CHECK(!slices_.empty());  // the test must add a slice first
  return slices_.back();
}

TraceBuilder& TraceBuilder::bytes(std::int64_t size_bytes) {
  last_slice().slice.size_bytes = size_bytes;
  return *this;
}

TraceBuilder& TraceBuilder::flags(std::uint8_t flags) {
  last_slice().slice.flags = flags;
  return *this;
}

TraceBuilder& TraceBuilder::depth(std::uint32_t depth) {
  last_slice().depth = depth;
  return *this;
}

TraceBuilder& TraceBuilder::add_arg(std::string_view key, trace::ArgValue value) {
  const StringId id = intern(key);
  last_slice().args.push_back({id, value});
  return *this;
}
TraceBuilder& TraceBuilder::arg(std::string_view key, std::int64_t value) { return add_arg(key, value); }
TraceBuilder& TraceBuilder::arg(std::string_view key, double value) { return add_arg(key, value); }
TraceBuilder& TraceBuilder::arg(std::string_view key, std::string_view value) {
  return add_arg(key, intern(value));
}

TraceBuilder& TraceBuilder::sample(Duration when, double value) {
  samples_[last_track()].push_back({at(when), value});
  return *this;
}

TraceBuilder& TraceBuilder::instant(std::string_view name, Duration when, OpId op) {
  instants_.push_back({.at = at(when), .track = last_track(), .name = intern(name), .op = op});
  return *this;
}

TraceBuilder& TraceBuilder::flow(trace::FlowKind kind, std::string_view from_track, Duration from_time,
                                 std::string_view to_track, Duration to_time, OpId op,
                                 std::string_view name) {
  flows_.push_back({.kind = kind,
                    .from_track = track_id(from_track),
                    .to_track = track_id(to_track),
                    .from_time = at(from_time),
                    .to_time = at(to_time),
                    .op = op,
                    .name = intern(name)});
  return *this;
}

TraceBuilder& TraceBuilder::message_out(std::string_view track, Duration when, std::uint64_t id,
                                        std::string_view name) {
  flows_.push_back({.from_track = track_id(track),
                    .from_time = at(when),
                    .to_time = at(when),
                    .name = intern(name),
                    .message = id});
  return *this;
}

TraceBuilder& TraceBuilder::message_in(std::string_view track, Duration when, std::uint64_t id) {
  flows_.push_back({.to_track = track_id(track), .from_time = at(when), .to_time = at(when), .message = id});
  return *this;
}

TraceBuilder& TraceBuilder::op(OpId id, std::string_view name, OpTimes times) {
  return op(id, name, times, {});
}

TraceBuilder& TraceBuilder::op(OpId id, std::string_view name, OpTimes times, OpFacts facts) {
  const auto moment = [](std::optional<Duration> t) { return t ? at(*t) : trace::kNever; };
  const auto track_or_none = [this](std::string_view track) {
    return track.empty() ? kNoTrack : track_id(track);
  };
  const OpRow row{.id = id,
                  .name = intern(name),
                  .step = facts.step,
                  .enqueued = moment(times.enqueued),
                  .ready = moment(times.ready),
                  .started = moment(times.started),
                  .ended = moment(times.ended),
                  .enqueue_track = track_or_none(facts.enqueue_track),
                  .execute_track = track_or_none(facts.execute_track),
                  .output_bytes = facts.output_bytes,
                  .flags = facts.flags};
  (times.ended ? ops_ : open_ops_).push_back(row);
  return *this;
}

TraceBuilder& TraceBuilder::depends(OpId op, OpId on, trace::DependencyKind kind) {
  trace::Dependency row{.op = op, .on = on, .kind = kind};
  for (const auto* rows : {&ops_, &open_ops_}) {
    for (const OpRow& known : *rows) {
      if (known.id == op) row.at = known.enqueued;
    }
  }
  dependencies_.push_back(row);
  return *this;
}

TraceBuilder& TraceBuilder::allocation(const BlockFacts& block, Duration begin, std::optional<Duration> end) {
  allocations_.push_back({.block = allocations_.size() + 1,
                          .counter = last_track(),
                          .category = intern(block.category),
                          .name = intern(block.name),
                          .op = block.op,
                          .size_bytes = block.size_bytes,
                          .begin = at(begin),
                          .end = end ? at(*end) : trace::kNever});
  return *this;
}

TraceBuilder& TraceBuilder::loss(trace::LossCause cause, std::uint64_t count) {
  losses_.add(cause, count);
  return *this;
}

TraceBuilder& TraceBuilder::metadata(std::string key, std::string value) {
  metadata_[std::move(key)] = std::move(value);
  return *this;
}

TraceBuilder& TraceBuilder::watermark(Duration when) {
  watermark_ = at(when);
  return *this;
}

namespace {

// Assigns depths to the slices of one track. The slices are sorted by begin; slices with equal begins are
// sorted by length, longest first.
class Nesting {
 public:
  explicit Nesting(bool asynchronous) : asynchronous_(asynchronous) {}
  std::uint32_t depth_of(const Slice& slice) {
    // Nested: the depth is the number of slices that are still open when this slice begins. Asynchronous: the
    // depth is the lowest free lane.
    if (!asynchronous_) {
      while (!ends_.empty() && ends_.back() <= slice.begin) ends_.pop_back();
      ends_.push_back(slice.end);
      return static_cast<std::uint32_t>(ends_.size() - 1);
    }
    std::size_t lane = 0;
    while (lane < ends_.size() && ends_[lane] > slice.begin) ++lane;
    if (lane == ends_.size()) ends_.emplace_back();
    ends_[lane] = slice.end;
    return static_cast<std::uint32_t>(lane);
  }

 private:
  bool asynchronous_;
  std::vector<Timestamp> ends_;
};

}  // namespace

void TraceBuilder::place_slices(Batch& batch) const {
  std::vector<const PendingSlice*> sorted;
  for (const PendingSlice& slice : slices_) sorted.push_back(&slice);
  const auto end_of = [](const PendingSlice& p) { return p.open ? Timestamp::max() : p.slice.end; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const PendingSlice* a, const PendingSlice* b) {
    if (a->slice.begin != b->slice.begin) return a->slice.begin < b->slice.begin;
    return end_of(*a) > end_of(*b);
  });
  std::map<TrackId, Nesting> nesting;
  std::map<std::pair<TrackId, std::uint32_t>, std::vector<Slice>> lanes;
  for (const PendingSlice* pending : sorted) {
    const TrackKind kind = tracks_[raw(pending->track)].kind;
    const bool asynchronous = kind == TrackKind::kQueue || kind == TrackKind::kAsync;
    Slice slice = pending->slice;
    slice.end = end_of(*pending);
    const std::uint32_t by_nesting =
        nesting.try_emplace(pending->track, asynchronous).first->second.depth_of(slice);
    const std::uint32_t depth = pending->depth.value_or(by_nesting);
    slice.end = pending->slice.end;
    if (!pending->args.empty()) {
      batch.args.push_back(pending->args);
      slice.args = ArgsId(static_cast<std::uint32_t>(batch.args.size()));
    }
    if (pending->open) {
      batch.open_slices.push_back({pending->track, depth, slice});
    } else {
      lanes[{pending->track, depth}].push_back(slice);
    }
  }
  for (auto& [where, rows] : lanes) batch.lanes.push_back({where.first, where.second, std::move(rows)});
}

Timestamp TraceBuilder::last_end() const {
  Timestamp last{};
  for (const PendingSlice& pending : slices_) last = std::max(last, pending.slice.end);
  for (const auto& [track, samples] : samples_) {
    for (const trace::CounterSample& sample : samples) last = std::max(last, sample.at);
  }
  for (const trace::Instant& instant : instants_) last = std::max(last, instant.at);
  for (const OpRow& op : ops_) last = std::max(last, op.ended);
  return last;
}

Batch TraceBuilder::batch() const {
  Batch batch;
  batch.strings = strings_;
  batch.tracks = tracks_;
  place_slices(batch);
  for (const auto& [track, samples] : samples_) {
    batch.counters.push_back({track, samples});
    std::stable_sort(batch.counters.back().rows.begin(), batch.counters.back().rows.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  }
  batch.instants = instants_;
  std::stable_sort(batch.instants.begin(), batch.instants.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  batch.ops = ops_;
  std::stable_sort(batch.ops.begin(), batch.ops.end(),
                   [](const OpRow& a, const OpRow& b) { return a.ended < b.ended; });
  batch.open_ops = open_ops_;
  batch.flows = flows_;
  batch.dependencies = dependencies_;
  batch.allocations = allocations_;
  batch.losses = losses_;
  batch.watermark = watermark_.value_or(last_end());
  return batch;
}

trace::Trace TraceBuilder::build() const {
  trace::Trace out;
  out.append(batch());
  for (const auto& [key, value] : metadata_) out.set_metadata(key, value);
  return out;
}

}  // namespace runahead::testing
