#include "instrumentation/merge/process_rows.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "instrumentation/trace/rows/row_description.h"

namespace runahead::merge {

using namespace trace;

namespace {

constexpr int kEngineShift = 48;
constexpr std::uint64_t kEngines = std::uint64_t{1} << 16;
// Numbers of blocks of memory are addresses or small numbers, so the top bits are free for the process.
constexpr int kBlockShift = 48;

}  // namespace

StringId JoinedDefinitions::string(const std::string& text, Batch& batch) {
  const auto [found, is_new] =
      strings_.try_emplace(text, StringId{static_cast<std::uint32_t>(strings_.size())});
  if (is_new) batch.strings.push_back(text);
  return found->second;
}

TrackId JoinedDefinitions::track(TrackInfo info, Batch& batch) {
  info.id = TrackId{tracks_++};
  batch.tracks.push_back(std::move(info));
  return batch.tracks.back().id;
}

ArgsId JoinedDefinitions::args(ArgSet set, Batch& batch) {
  batch.args.push_back(std::move(set));
  return ArgsId{++args_};
}

Timestamp ProcessRows::at(Timestamp time) const {
  return timestamp_from_ns(std::clamp(clock_.to_reference(ns_from(time)), -kMaxTimeNs, kMaxTimeNs));
}

void ProcessRows::steer(Timestamp from, const ClockMap& map) { clock_.steer(ns_from(from), map); }

std::optional<std::uint64_t> JoinedDefinitions::engine(std::uint32_t process, std::uint64_t engine) {
  const std::uint64_t key = std::uint64_t{process} << kEngineShift | engine;
  const auto found = engines_.find(key);
  if (found != engines_.end()) return found->second;
  if (engines_.size() == kEngines) return std::nullopt;
  return engines_.emplace(key, engines_.size()).first->second;
}

OpId ProcessRows::op(OpId id) const {
  if (id == kNoOp) return id;
  const auto engine = definitions_.engine(index_, raw(id) >> kEngineShift);
  return engine ? OpId{*engine << kEngineShift | op_number(id)} : kNoOp;
}

template <typename Row>
Row ProcessRows::convert_row(Row row) const {
  for_each_column<Row>([&](const auto& column) {
    using Kind = typename std::remove_cvref_t<decltype(column)>::Kind;
    using columns::Meaning;
    auto& value = row.*Kind::kMember;
    if constexpr (Kind::kMeaning == Meaning::kString) {
      value = string(value);
    } else if constexpr (Kind::kMeaning == Meaning::kArgs) {
      value = args(value);
    } else if constexpr (Kind::kMeaning == Meaning::kTrack || Kind::kMeaning == Meaning::kCounter) {
      value = track(value);
    } else if constexpr (Kind::kMeaning == Meaning::kOp) {
      value = op(value);
    } else if constexpr (Kind::kMeaning == Meaning::kTime || Kind::kMeaning == Meaning::kLength) {
      if (value != kNever) value = at(value);
    }
  });
  if constexpr (std::is_same_v<Row, Allocation>) row.block ^= std::uint64_t{index_} << kBlockShift;
  return row;
}

template <typename Row>
std::vector<Row> ProcessRows::convert_rows(const std::vector<Row>& rows) const {
  std::vector<Row> out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(convert_row(row));
  return out;
}

// In a recording, a counter stays a counter, and a group stays a group. But the reader of a damaged recording
// first takes a track whose definition is lost for a thread. It may find out later that it is a counter, or
// has a parent. Then the track gets a new id, which is larger than that of its parent.
void ProcessRows::define_track(std::size_t id, TrackInfo track, Batch& out) {
  const auto is_same_role = [](TrackKind a, TrackKind b) {
    return (a == TrackKind::kCounter) == (b == TrackKind::kCounter) &&
           (a == TrackKind::kGroup) == (b == TrackKind::kGroup);
  };
  if (id == tracks_.size()) {
    tracks_.push_back(kNoTrack);
    kinds_.push_back(track.kind);
  } else if (is_same_role(kinds_.at(id), track.kind) &&
             (track.parent == kNoTrack || raw(track.parent) < raw(tracks_[id]))) {
    track.id = tracks_[id];
    out.tracks.push_back(std::move(track));
    return;
  }
  kinds_[id] = track.kind;
  tracks_[id] = definitions_.track(std::move(track), out);
}

void ProcessRows::define(const Batch& batch, Batch& out) {
  for (const std::string& text : batch.strings) strings_.push_back(definitions_.string(text, out));
  for (const ArgSet& set : batch.args) {
    ArgSet converted = set;
    for (Arg& arg : converted) {
      arg.key = string(arg.key);
      if (auto* text = std::get_if<StringId>(&arg.value)) *text = string(*text);
    }
    args_.push_back(definitions_.args(std::move(converted), out));
  }
  for (TrackInfo track : batch.tracks) {
    const std::size_t id = raw(track.id);
    track.parent = track.parent == kNoTrack ? group_ : this->track(track.parent);
    define_track(id, std::move(track), out);
  }
}

void ProcessRows::convert_lanes(const Batch& batch, Batch& out) const {
  for (const LaneRows& lane : batch.lanes)
    out.lanes.push_back({track(lane.track), lane.depth, convert_rows(lane.rows)});
  for (const CounterRows& counter : batch.counters)
    out.counters.push_back({track(counter.track), convert_rows(counter.rows)});
}

Batch ProcessRows::convert(const Batch& batch) {
  Batch out;
  define(batch, out);
  convert_lanes(batch, out);
  out.instants = convert_rows(batch.instants);
  out.ops = convert_rows(batch.ops);
  out.flows = convert_rows(batch.flows);
  out.dependencies = convert_rows(batch.dependencies);
  out.allocations = convert_rows(batch.allocations);
  // Without its id, a row of these kinds says nothing.
  std::erase_if(out.ops, [](const OpRow& row) { return row.id == kNoOp; });
  // An op depends only on ops with smaller ids. Ops of two engines of one process may have changed their
  // order.
  std::erase_if(out.dependencies, [](const Dependency& row) { return row.on == kNoOp || row.on >= row.op; });
  const std::size_t left_out =
      batch.ops.size() - out.ops.size() + batch.dependencies.size() - out.dependencies.size();
  out.losses = batch.losses;
  if (left_out > 0) out.losses.add(LossCause::kImportSkipped, left_out);
  return out;
}

std::vector<OpenSlice> ProcessRows::convert_open(std::span<const OpenSlice> open) const {
  std::vector<OpenSlice> out;
  out.reserve(open.size());
  for (const OpenSlice& one : open) {
    Slice slice = one.slice;
    slice.end = slice.begin;  // has no meaning
    out.push_back({track(one.track), one.depth, convert_row(slice)});
  }
  return out;
}

std::vector<OpRow> ProcessRows::convert_open(std::span<const OpRow> open) const {
  std::vector<OpRow> out = convert_rows(std::vector<OpRow>(open.begin(), open.end()));
  std::erase_if(out, [](const OpRow& row) { return row.id == kNoOp; });
  return out;
}

}  // namespace runahead::merge
