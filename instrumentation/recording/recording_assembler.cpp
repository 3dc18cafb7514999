#include "instrumentation/recording/recording_assembler.h"

#include <algorithm>
#include <utility>

#include "instrumentation/recording/format/row_coding.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// A file may define kMost... items, plus one item per kBytesPer... bytes of the file. This is far more than a
// writer defines, and too little for a small file to fill the memory.
constexpr std::uint64_t kMostStrings = 1u << 20;
constexpr std::uint64_t kMostTracks = 1u << 16, kBytesPerTrack = 16;
// The smallest lane, with one slice that resembles the slices of other lanes, takes two bytes of a file.
constexpr std::uint64_t kMostLanes = 1u << 17, kBytesPerLane = 1;
constexpr std::size_t kMostMetadata = 4096;
// The assembler collects rows. It passes the rows to the trace at each commit, and as soon as it has this
// many rows.
constexpr std::size_t kAppendRows = 1u << 20;

// Placeholders for lost definitions.
constexpr std::string_view kLostName = "(name lost)", kLostTrack = "(track lost)";

TrackInfo lost_track(TrackId id, TrackKind kind) {
  TrackInfo track;
  track.id = id;
  track.kind = kind;
  track.name = kLostTrack;
  return track;
}

std::uint64_t lane_key(TrackId track, std::uint32_t depth) {
  return static_cast<std::uint64_t>(raw(track)) << 32 | depth;
}

bool earlier(const Instant& a, const Instant& b) { return a.at < b.at; }

// Lists the columns as a text, such as "slice 9, op 12".
std::string names_of(const UnknownColumns& columns) {
  std::string out;
  for (const auto& [row, id] : columns) {
    if (!out.empty()) out += ", ";
    out += std::string(row) + ' ' + std::to_string(id);
  }
  return out;
}

// True if all times are within ±kMaxTimeNs, and no block begins before the previous block ends.
template <typename Summary>
bool in_order(const std::vector<Summary>& blocks) {
  Timestamp before = timestamp_from_ns(-kMaxTimeNs);
  for (const Summary& block : blocks) {
    if (block.first < before || block.last < block.first) return false;
    before = block.last;
  }
  return before <= timestamp_from_ns(kMaxTimeNs);
}

}  // namespace

void RecordingAssembler::add(BlockKind kind, std::string_view payload, std::uint64_t end_offset) {
  end_offset_ = end_offset;
  if (!take(kind, payload)) add_unknown_block();
  if (gathered_.row_count() >= kAppendRows) append_gathered();
}

bool RecordingAssembler::take(BlockKind kind, std::string_view payload) {
  switch (kind) {
    case BlockKind::kMetadata:
      return take_metadata(payload);
    case BlockKind::kStrings:
      return take_strings(payload);
    case BlockKind::kTracks:
      return take_tracks(payload);
    case BlockKind::kArgs:
      return take_args(payload);
    case BlockKind::kSlices:
      return take_slices(payload);
    case BlockKind::kCounters:
      return take_counters(payload);
    case BlockKind::kInstants:
      return take_instants(payload);
    case BlockKind::kOps:
      return take_ops(payload);
    case BlockKind::kFlows:
      return take_flows(payload);
    case BlockKind::kDependencies:
      return take_dependencies(payload);
    case BlockKind::kAllocations:
      return take_allocations(payload);
    case BlockKind::kLosses:
      return take_losses(payload);
    case BlockKind::kOpen:
      open_payload_ = payload;
      return true;
    case BlockKind::kCommit:
      return take_commit(payload);
    case BlockKind::kFooter:
    case BlockKind::kRowsAgain:
    case BlockKind::kDigest:
    case BlockKind::kChunks:
    case BlockKind::kOpening:
    case BlockKind::kTableChunks:
      return true;  // an index or repeated rows: not needed when all rows are read in order
  }
  return false;
}

// ---- definitions ----------------------------------------------------------------------------------------

bool RecordingAssembler::take_metadata(std::string_view payload) {
  return decode_metadata(payload, metadata_) && metadata_.size() <= kMostMetadata;
}

void RecordingAssembler::append_strings(std::vector<std::string> strings) {
  string_count_ += strings.size();
  Batch batch;
  batch.strings = std::move(strings);
  // The empty string always comes first; the file's own strings follow.
  if (std::exchange(first_append_, false)) batch.strings.insert(batch.strings.begin(), std::string{});
  gathered_.add(std::move(batch));
}

bool RecordingAssembler::stand_in_strings(std::uint64_t last) {
  if (!definitions_lost_ || last >= kMostStrings + end_offset_) return false;
  const auto missing = static_cast<std::size_t>(last + 1 - string_count_);
  append_strings(std::vector<std::string>(missing, std::string(kLostName)));
  return true;
}

bool RecordingAssembler::take_strings(std::string_view payload) {
  std::uint64_t first = 0;
  std::vector<std::string> strings;
  if (!decode_strings(payload, first, strings)) return false;
  if (first > string_count_ && !stand_in_strings(first - 1)) return false;
  if (first != string_count_ || first + strings.size() > kMostStrings + end_offset_) return false;
  append_strings(std::move(strings));
  return true;
}

RecordingAssembler::Role RecordingAssembler::role_of(TrackKind kind) {
  if (kind == TrackKind::kCounter) return Role::kSamples;
  return kind == TrackKind::kGroup ? Role::kTracks : Role::kSlices;
}

void RecordingAssembler::define_track(TrackInfo track) {
  if (raw(track.id) == tracks_.size()) tracks_.push_back({track.kind});
  KnownTrack& known = tracks_[raw(track.id)];
  known.kind = track.kind;
  known.role_open = false;
  Batch batch;
  batch.tracks.push_back(std::move(track));
  gathered_.add(std::move(batch));
}

bool RecordingAssembler::stand_in_tracks(std::uint64_t last) {
  if (!definitions_lost_ || last >= kMostTracks + end_offset_ / kBytesPerTrack) return false;
  while (tracks_.size() <= last) {
    define_track(lost_track(TrackId{static_cast<std::uint32_t>(tracks_.size())}, TrackKind::kThread));
    tracks_.back().role_open = true;
  }
  return true;
}

bool RecordingAssembler::track_takes(TrackId id, Role role) {
  if (!track_known(id)) return false;
  KnownTrack& track = tracks_[raw(id)];
  if (track.role_open && role != role_of(track.kind)) {
    define_track(lost_track(id, role == Role::kSamples ? TrackKind::kCounter : TrackKind::kGroup));
  }
  track.role_open = false;
  return role == role_of(track.kind);
}

bool RecordingAssembler::track_fits(const TrackInfo& track) {
  const std::uint32_t id = raw(track.id);
  if (id > tracks_.size() && !stand_in_tracks(id - std::uint64_t{1})) return false;
  if (track.parent != kNoTrack) {
    if (raw(track.parent) >= id || !track_takes(track.parent, Role::kTracks)) return false;
  }
  if (id == tracks_.size()) return id < kMostTracks + end_offset_ / kBytesPerTrack;
  // A track that may already have rows or children must keep its role.
  return tracks_[id].role_open || role_of(track.kind) == role_of(tracks_[id].kind);
}

bool RecordingAssembler::take_tracks(std::string_view payload) {
  std::vector<TrackInfo> tracks;
  if (!decode_tracks(payload, tracks)) return false;
  for (TrackInfo& track : tracks) {
    if (!track_fits(track)) return false;
    define_track(std::move(track));
  }
  return true;
}

bool RecordingAssembler::args_fit(const ArgSet& set) {
  return std::all_of(set.begin(), set.end(), [this](const Arg& arg) {
    const auto* text = std::get_if<StringId>(&arg.value);
    return string_known(arg.key) && (text == nullptr || string_known(*text));
  });
}

bool RecordingAssembler::stand_in_args(std::uint64_t last) {
  if (!definitions_lost_ || last > kMostStrings + end_offset_) return false;
  Batch batch;
  batch.args.resize(static_cast<std::size_t>(last - args_count_));
  args_count_ = last;
  gathered_.add(std::move(batch));
  return true;
}

bool RecordingAssembler::take_args(std::string_view payload) {
  std::uint64_t first = 0;
  Batch batch;
  if (!decode_args(payload, first, batch.args)) return false;
  if (first > args_count_ + 1 && !stand_in_args(first - 1)) return false;
  if (first != args_count_ + 1 || args_count_ + batch.args.size() > kMostStrings + end_offset_) return false;
  if (!std::all_of(batch.args.begin(), batch.args.end(), [this](const ArgSet& s) { return args_fit(s); })) {
    return false;
  }
  args_count_ += batch.args.size();
  gathered_.add(std::move(batch));
  return true;
}

// ---- rows -----------------------------------------------------------------------------------------------

bool RecordingAssembler::make_room_for_lane(TrackId track, std::uint32_t depth) {
  std::uint32_t& count = tracks_[raw(track)].lanes;
  if (depth < count) return true;
  const std::uint64_t total = lane_total_ + (depth + 1 - count);
  if (total > kMostLanes + end_offset_ / kBytesPerLane) return false;
  lane_total_ = total;
  count = depth + 1;
  return true;
}

// Says whether the ids in rows of this file are defined. If definitions were lost, it makes placeholders for
// undefined ids.
class RecordingAssembler::Names {
 public:
  explicit Names(RecordingAssembler& of) : of_(of) {}
  [[nodiscard]] bool string(StringId id) const { return of_.string_known(id); }
  [[nodiscard]] bool args_set(ArgsId id) const { return of_.args_known(id); }
  [[nodiscard]] bool track(TrackId id) const { return of_.track_known(id); }
  [[nodiscard]] bool counter(TrackId id) const { return of_.holds_samples(id); }

 private:
  RecordingAssembler& of_;
};

template <typename Row>
bool RecordingAssembler::fits(const Row& row) {
  return names_known(row, Names(*this));
}

template <typename Row>
bool RecordingAssembler::all_fit(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [this](const Row& row) { return fits(row); });
}

bool RecordingAssembler::lane_fits(const LaneRows& lane) {
  if (!holds_slices(lane.track)) return false;
  const auto last = last_slices_.find(lane_key(lane.track, lane.depth));
  if (last != last_slices_.end() && lane.rows.front().begin < last->second.end) return false;
  if (!all_fit(lane.rows)) return false;
  return make_room_for_lane(lane.track, lane.depth);
}

bool RecordingAssembler::take_slices(std::string_view payload) {
  Batch batch;
  std::vector<LaneRows> lanes;
  if (!decode_slices(payload, lanes, &unknown_columns_)) return false;
  bool all_fit = true;
  for (LaneRows& lane : lanes) {
    if (!lane_fits(lane)) {
      all_fit = false;
      continue;
    }
    last_slices_[lane_key(lane.track, lane.depth)] = lane.rows.back();
    batch.lanes.push_back(std::move(lane));
  }
  gathered_.add(std::move(batch));
  return all_fit;
}

bool RecordingAssembler::take_counters(std::string_view payload) {
  Batch batch;
  std::vector<CounterRows> counters;
  if (!decode_counters(payload, counters, &unknown_columns_)) return false;
  bool all_fit = true;
  for (CounterRows& counter : counters) {
    const bool known = holds_samples(counter.track);
    const auto [last, is_new] = last_samples_.try_emplace(raw(counter.track), counter.rows.front().at);
    if (!known || counter.rows.front().at < last->second) {
      if (is_new) last_samples_.erase(last);
      all_fit = false;
      continue;
    }
    last->second = counter.rows.back().at;
    batch.counters.push_back(std::move(counter));
  }
  gathered_.add(std::move(batch));
  return all_fit;
}

bool RecordingAssembler::take_instants(std::string_view payload) {
  Batch batch;
  if (!decode_instants(payload, batch.instants, &unknown_columns_)) return false;
  if (!all_fit(batch.instants)) return false;
  if (batch.instants.empty()) return true;
  if (batch.instants.front().at < last_instant_) {
    late_instants_.insert(late_instants_.end(), batch.instants.begin(), batch.instants.end());
    late_since_ = std::min(late_since_, batch.instants.front().at);
    if (mode_ == Mode::kFollow && late_instants_are_due()) append_late_instants();
    return true;
  }
  last_instant_ = batch.instants.back().at;
  gathered_.add(std::move(batch));
  return true;
}

// To add late instants, the trace copies all instants after the first of them. If a peer could demand this
// copy with each block, a few bytes would cost seconds. So many late instants are added together.
bool RecordingAssembler::late_instants_are_due() const {
  constexpr std::uint64_t kFew = 4096, kCopiesOfEach = 8;
  const std::uint64_t copied = trace_.instant_count() - trace_.first_instant_from(late_since_);
  return late_instants_.size() >= kAppendRows || copied <= kFew + kCopiesOfEach * late_instants_.size();
}

void RecordingAssembler::append_late_instants() {
  append_gathered();
  Batch batch;
  batch.instants = std::exchange(late_instants_, {});
  std::stable_sort(batch.instants.begin(), batch.instants.end(), earlier);
  late_since_ = kNoLateInstant;
  append(std::move(batch));
}

bool RecordingAssembler::take_ops(std::string_view payload) {
  Batch batch;
  if (!decode_ops(payload, batch.ops, &unknown_columns_)) return false;
  if (!all_fit(batch.ops)) return false;
  gathered_.add(std::move(batch));
  return true;
}

bool RecordingAssembler::take_flows(std::string_view payload) {
  Batch batch;
  if (!decode_flows(payload, batch.flows, &unknown_columns_)) return false;
  if (!all_fit(batch.flows)) return false;
  gathered_.add(std::move(batch));
  return true;
}

bool RecordingAssembler::take_dependencies(std::string_view payload) {
  Batch batch;
  if (!decode_dependencies(payload, batch.dependencies, &unknown_columns_)) return false;
  gathered_.add(std::move(batch));
  return true;
}

bool RecordingAssembler::take_allocations(std::string_view payload) {
  Batch batch;
  if (!decode_allocations(payload, batch.allocations, &unknown_columns_)) return false;
  if (!all_fit(batch.allocations)) return false;
  gathered_.add(std::move(batch));
  return true;
}

bool RecordingAssembler::take_losses(std::string_view payload) {
  std::uint64_t unknown = 0;
  LossCounts losses;
  if (!decode_losses(payload, losses, unknown)) return false;
  pending_losses_.add(losses);
  pending_losses_.add(LossCause::kFileUnknown, unknown);
  return true;
}

bool RecordingAssembler::take_commit(std::string_view payload) {
  Batch batch;
  if (!decode_commit(payload, batch.watermark)) return false;
  gathered_.add(std::move(batch));
  append_gathered();
  if (mode_ == Mode::kFollow) follow_commit();
  return true;
}

bool RecordingAssembler::adopt(TrackId track, std::uint32_t depth, std::shared_ptr<const LaneSource> source,
                               std::span<const SliceBlock::Summary> summaries, Duration busy) {
  if (summaries.empty() || !holds_slices(track) || !make_room_for_lane(track, depth)) return false;
  const SliceBlock::Summary& last = summaries.back();
  const Slice last_slice{.begin = last.last_begin, .end = last.end};
  if (!last_slices_.try_emplace(lane_key(track, depth), last_slice).second) return false;
  append_gathered();  // defines the track in trace_
  trace_.adopt(track, depth, std::move(source), summaries, busy);
  return true;
}

bool RecordingAssembler::adopt(TrackId counter, const StoredBlocks<CounterBlock>& blocks) {
  if (blocks.summaries.empty() || !holds_samples(counter) || !in_order(blocks.summaries)) return false;
  if (!last_samples_.try_emplace(raw(counter), blocks.summaries.back().last).second) return false;
  append_gathered();  // defines the track in trace_
  trace_.adopt(counter, blocks);
  return true;
}

bool RecordingAssembler::adopt(const StoredTables& tables) {
  const std::vector<InstantBlock::Summary>& instants = tables.instants.summaries;
  if (!in_order(instants)) return false;
  if (!instants.empty()) last_instant_ = instants.back().last;
  append_gathered();
  trace_.adopt(tables);
  return true;
}

// ---- handing over ---------------------------------------------------------------------------------------

void RecordingAssembler::append(Batch&& batch) {
  if (see_) see_(batch);
  trace_.append(std::move(batch));
}

void RecordingAssembler::append_gathered() {
  Batch batch = gathered_.take();
  batch.losses.add(std::exchange(pending_losses_, LossCounts{}));
  append(std::move(batch));
}

void RecordingAssembler::keep_open(std::vector<OpenSlice>& open) {
  std::stable_sort(open.begin(), open.end(), [](const OpenSlice& a, const OpenSlice& b) {
    return lane_key(a.track, a.depth) < lane_key(b.track, b.depth);
  });
  std::vector<OpenSlice> kept;
  for (const OpenSlice& one : open) {
    const std::uint64_t lane = lane_key(one.track, one.depth);
    const bool second_in_lane = !kept.empty() && lane_key(kept.back().track, kept.back().depth) == lane;
    if (second_in_lane || !holds_slices(one.track) || !fits(one.slice)) continue;
    const auto last = last_slices_.find(lane);
    if (last != last_slices_.end() &&
        (one.slice.begin < last->second.end || one.slice.begin == last->second.begin))
      continue;
    if (make_room_for_lane(one.track, one.depth)) kept.push_back(one);
  }
  open = std::move(kept);
}

// Adds the slices that were open when the program was killed, as unfinished slices that end at the last
// watermark. Omits slices that ended after the list of open slices was written.
void RecordingAssembler::show_open_slices(std::vector<OpenSlice>& open) {
  keep_open(open);
  Batch batch;
  for (const OpenSlice& one : open) {
    LaneRows lane{one.track, one.depth, {one.slice}};
    lane.rows[0].end = std::max(one.slice.begin, trace_.watermark());
    lane.rows[0].flags |= kSliceUnfinished;
    batch.lanes.push_back(std::move(lane));
    batch.losses.add(LossCause::kUnfinishedSlice);
  }
  append_gathered();  // adds the placeholders that these slices need
  append(std::move(batch));
}

std::vector<OpRow> RecordingAssembler::still_open(const std::vector<OpRow>& ops) {
  std::vector<OpRow> open;
  for (const OpRow& op : ops) {
    if (fits(op) && !trace_.op(op.id)) open.push_back(op);
  }
  return open;
}

void RecordingAssembler::append_rest(bool ended) {
  append_gathered();
  std::vector<OpenSlice> slices;
  std::vector<OpRow> ops;
  if (!open_payload_.empty() && decode_open(open_payload_, slices, ops, &unknown_columns_)) {
    if (!ended) show_open_slices(slices);
    ops = still_open(ops);
  } else {
    ops.clear();
  }
  append_gathered();
  append_late_instants();
  Batch last;
  last.open_ops = std::move(ops);
  append(std::move(last));
  for (auto& [key, value] : metadata_) trace_.set_metadata(key, std::move(value));
  if (!unknown_columns_.empty()) trace_.set_metadata("recording.unknown_columns", names_of(unknown_columns_));
}

Trace RecordingAssembler::finish(bool ended) {
  append_rest(ended);
  return std::move(trace_);
}

void RecordingAssembler::finish_following(bool ended) { append_rest(ended); }

// The list of open rows may be older than the commit: a writer omits it while very many rows are open.
void RecordingAssembler::follow_commit() {
  Batch batch;
  if (!open_payload_.empty() &&
      decode_open(open_payload_, batch.open_slices, batch.open_ops, &unknown_columns_)) {
    keep_open(batch.open_slices);
    append_gathered();  // still_open() asks the trace; these slices may need placeholders
    batch.open_ops = still_open(batch.open_ops);
  }
  append_gathered();
  append(std::move(batch));
  for (const auto& [key, value] : std::exchange(metadata_, {})) trace_.set_metadata(key, value);
}

}  // namespace runahead::recordings
