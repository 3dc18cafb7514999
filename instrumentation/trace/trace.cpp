#include "instrumentation/trace/trace.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/dependency_table.h"
#include "instrumentation/trace/flow_table.h"
#include "instrumentation/trace/instant_table.h"
#include "instrumentation/trace/op_table.h"
#include "instrumentation/trace/stored_tables.h"
#include "instrumentation/trace/string_pool.h"

namespace runahead::trace {
namespace {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last{0};  // atomic, because traces are made on any thread
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

// A value type. A copy of a State is a snapshot: its tables, lanes and counters share their blocks with the
// original.
struct Trace::State {
  std::vector<Track> tracks;
  StringPool strings;
  ArgsTable args;
  OpTable ops;
  FlowTable flows;
  DependencyTable dependencies;
  AllocationTable allocations;
  InstantTable instants;
  std::shared_ptr<BlockStore> store;
  std::vector<OpenSlice> open_slices;
  std::vector<OpRow> open_ops;
  // True: open_ops is sorted by id, as it is with a single engine. Then a binary search finds an op.
  bool open_ops_sorted = true;
  LossCounts losses;
  std::map<std::string, std::string> metadata;
  Timestamp watermark{};
  std::uint64_t version = 0;
  std::uint64_t identity = next_identity();

  void define(Batch& batch);
  void append_rows(const Batch& batch);
  void define_strings(const std::vector<std::string>& texts);
  void define_track(TrackInfo info);
  Track& defined(TrackId id);
  Lane& lane(TrackId id, std::uint32_t depth);  // makes the lane if needed
  // Returns a time: eviction up to this time frees at least `bytes` bytes. If all blocks together have fewer
  // bytes, eviction up to this time frees all blocks. nullopt: there is no block.
  [[nodiscard]] std::optional<Timestamp> end_of_oldest(std::size_t bytes) const;
  std::uint64_t evict_before(Timestamp t);
};

namespace {

// A step of the eviction searches all blocks and adds up the memory of all tables. This costs the same
// whether the step evicts one block or many blocks. Therefore one step frees at least 1/kShareEvicted of the
// limit.
constexpr std::size_t kShareEvicted = 16;

// The most lanes that a track may have (one lane per nesting level). A batch that nests deeper is damaged.
constexpr std::uint32_t kMostLanes = 1u << 20;

std::size_t size_bytes_of(const Track& track) {
  std::size_t bytes = sizeof track + track.counter.size_bytes() + track.info.name.size();
  for (const Lane& lane : track.lanes) bytes += sizeof lane + lane.size_bytes();
  return bytes;
}

void widen(std::optional<TimeRange>& range, Timestamp first, Timestamp last) {
  if (!range) range = TimeRange{first, last};
  range->begin = std::min(range->begin, first);
  range->end = std::max(range->end, last);
}

}  // namespace

void Trace::State::define_strings(const std::vector<std::string>& texts) {
  // Every pool has the empty string as its first string. Some sources pass it again as their first string.
  // Then it is not added again.
  const bool repeats_empty = strings.size() == 1 && !texts.empty() && texts.front().empty();
  for (std::size_t i = repeats_empty ? 1 : 0; i < texts.size(); ++i) strings.add(texts[i]);
}

void Trace::State::define_track(TrackInfo info) {
  const std::size_t index = raw(info.id);
  RUNAHEAD_CHECK_OP(index, <=, tracks.size());  // ids have no gaps: a new track has the next id
  if (info.parent != kNoTrack) RUNAHEAD_CHECK_OP(raw(info.parent), <, tracks.size());
  if (index == tracks.size()) tracks.emplace_back();
  tracks[index].info = std::move(info);
}

Track& Trace::State::defined(TrackId id) {
  RUNAHEAD_CHECK_OP(raw(id), <, tracks.size());
  return tracks[raw(id)];
}

Lane& Trace::State::lane(TrackId id, std::uint32_t depth) {
  RUNAHEAD_CHECK_OP(depth, <, kMostLanes);
  Track& track = defined(id);
  if (track.lanes.size() <= depth) track.lanes.resize(depth + std::size_t{1});
  return track.lanes[depth];
}

void Trace::State::define(Batch& batch) {
  define_strings(batch.strings);
  for (TrackInfo& info : batch.tracks) define_track(std::move(info));
  for (const ArgSet& set : batch.args) args.add(set);
}

void Trace::State::append_rows(const Batch& batch) {
  for (const LaneRows& rows : batch.lanes) lane(rows.track, rows.depth).append(rows.rows);
  for (const CounterRows& counter : batch.counters) defined(counter.track).counter.append(counter.rows);
  instants.append(batch.instants);
  ops.append(batch.ops);
  flows.append(batch.flows);
  dependencies.append(batch.dependencies);
  allocations.append(batch.allocations);
}

std::optional<Timestamp> Trace::State::end_of_oldest(std::size_t bytes) const {
  std::vector<BlockEnd> ends;
  for (const Track& track : tracks) {
    for (const Lane& lane : track.lanes) lane.add_block_ends(ends);
    track.counter.add_block_ends(ends);
  }
  ops.add_block_ends(ends);
  flows.add_block_ends(ends);
  dependencies.add_block_ends(ends);
  allocations.add_block_ends(ends);
  instants.add_block_ends(ends);
  if (ends.empty()) return std::nullopt;
  std::ranges::sort(ends, {}, &BlockEnd::end);
  for (const BlockEnd& block : ends) {
    if (block.bytes >= bytes) return block.end;
    bytes -= block.bytes;
  }
  return ends.back().end;
}

std::uint64_t Trace::State::evict_before(Timestamp t) {
  std::uint64_t rows = ops.evict_before(t) + flows.evict_before(t) + instants.evict_before(t) +
                       dependencies.evict_before(t) + allocations.evict_before(t);
  for (Track& track : tracks) {
    for (Lane& lane : track.lanes) rows += lane.evict_before(t);
    rows += track.counter.evict_before(t);
  }
  return rows;
}

Trace::Trace() : state_(std::make_unique<State>()) {}
Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

std::span<const Track> Trace::tracks() const { return state_->tracks; }
const Track& Trace::track(TrackId id) const { return state_->defined(id); }
std::string_view Trace::string(StringId id) const { return state_->strings.of(id); }
std::uint64_t Trace::string_count() const { return state_->strings.size(); }
std::optional<StringId> Trace::find_string(std::string_view text) const { return state_->strings.find(text); }
std::span<const Arg> Trace::args(ArgsId id) const { return state_->args.of(id); }
std::uint64_t Trace::args_count() const { return state_->args.size(); }
std::span<const OpenSlice> Trace::open_slices() const { return state_->open_slices; }
std::span<const OpRow> Trace::open_ops() const { return state_->open_ops; }

std::optional<OpRow> Trace::op(OpId id) const {
  if (id == kNoOp) return std::nullopt;
  const std::vector<OpRow>& open = state_->open_ops;
  const auto is_it = [id](const OpRow& row) { return row.id == id; };
  auto found = open.end();
  if (state_->open_ops_sorted) {
    found =
        std::lower_bound(open.begin(), open.end(), id, [](const OpRow& row, OpId x) { return row.id < x; });
    if (found != open.end() && !is_it(*found)) found = open.end();
  } else {
    found = std::find_if(open.begin(), open.end(), is_it);
  }
  // An ended op takes precedence over an open op: while an op ends, a batch may have it in both lists.
  if (auto ended = state_->ops.find(id)) return ended;
  if (found != open.end()) return *found;
  return std::nullopt;
}

std::uint64_t Trace::op_count() const { return state_->ops.size(); }
OpRow Trace::op_row(std::uint64_t index) const { return state_->ops.row(index); }
std::uint64_t Trace::ops_ended_in(TimeRange range) const { return state_->ops.ended_in(range); }

std::uint64_t Trace::ops_in_flight_at(Timestamp t, std::size_t limit, std::vector<OpRow>& out) const {
  out.clear();
  state_->ops.in_flight_at(t, out);
  for (const OpRow& row : state_->open_ops) {
    if (row.enqueued != kNever && row.enqueued <= t && !state_->ops.find(row.id)) out.push_back(row);
  }
  const auto first = [](const OpRow& a, const OpRow& b) {
    return a.enqueued != b.enqueued ? a.enqueued < b.enqueued : a.id < b.id;
  };
  const std::uint64_t count = out.size();
  const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(limit, count));
  std::partial_sort(out.begin(), out.begin() + kept, out.end(), first);
  out.resize(static_cast<std::size_t>(kept));
  return count;
}

std::uint64_t Trace::dependency_count() const { return state_->dependencies.size(); }
Dependency Trace::dependency(std::uint64_t index) const { return state_->dependencies.row(index); }
std::uint64_t Trace::dependencies_of(OpId op, std::size_t limit, std::vector<Dependency>& out) const {
  return state_->dependencies.of_op(op, limit, out);
}
std::uint64_t Trace::dependents_of(OpId op, std::size_t limit, std::vector<Dependency>& out,
                                   std::optional<std::size_t> most_blocks) const {
  return state_->dependencies.on_op(op, limit, out, most_blocks);
}

const AllocationTable& Trace::allocations() const { return state_->allocations; }

std::uint64_t Trace::flow_count() const { return state_->flows.size(); }
Flow Trace::flow(std::uint64_t index) const { return state_->flows.row(index); }
std::uint64_t Trace::flows_of_op(OpId op, std::size_t limit, std::vector<Flow>& out) const {
  return state_->flows.of_op(op, limit, out);
}
std::uint64_t Trace::flows_touching(TrackId track, TimeRange range, std::size_t limit,
                                    std::vector<Flow>& out) const {
  return state_->flows.touching(track, range, limit, out);
}

std::uint64_t Trace::instant_count() const { return state_->instants.size(); }
Instant Trace::instant(std::uint64_t index) const { return state_->instants.row(index); }
std::uint64_t Trace::first_instant_from(Timestamp t) const { return state_->instants.first_from(t); }
const InstantTable& Trace::instants() const { return state_->instants; }

TimeRange Trace::extent() const {
  std::optional<TimeRange> range;
  for (const Track& track : state_->tracks) {
    for (const Lane& lane : track.lanes) {
      if (!lane.empty()) widen(range, lane.begin(lane.first_row()), lane.end(lane.end_row() - 1));
    }
    const CounterSeries& counter = track.counter;
    if (!counter.empty()) widen(range, counter.first_at(), counter.last_at());
  }
  const InstantTable& instants = state_->instants;
  if (!instants.empty()) widen(range, instants.first_at(), instants.last_at());
  for (const OpenSlice& open : state_->open_slices) widen(range, open.slice.begin, open.slice.begin);
  if (!range) return {};
  range->end = std::max(range->end, state_->watermark);
  return *range;
}

Timestamp Trace::watermark() const { return state_->watermark; }
LossCounts Trace::losses() const {
  LossCounts losses = state_->losses;
  if (state_->store != nullptr) losses.add(LossCause::kFileUnreadable, state_->store->stats().unreadable);
  return losses;
}
std::shared_ptr<BlockStore> Trace::store() const { return state_->store; }

TraceCounts Trace::counts() const {
  TraceCounts out;
  out.tracks = state_->tracks.size();
  for (const Track& track : state_->tracks) {
    for (const Lane& lane : track.lanes) out.slices += lane.size();
    out.counter_samples += track.counter.end_row() - track.counter.first_row();
    if (track.info.kind == TrackKind::kCounter) ++out.counters;
  }
  out.instants = instant_count();
  out.flows = flow_count();
  out.ops = op_count();
  out.dependencies = dependency_count();
  out.allocations = allocations().size();
  return out;
}

std::size_t Trace::size_bytes() const {
  const State& state = *state_;
  std::size_t bytes = state.strings.size_bytes() + state.args.size_bytes() + state.ops.size_bytes() +
                      state.flows.size_bytes() + state.instants.size_bytes() +
                      state.dependencies.size_bytes() + state.allocations.size_bytes();
  bytes += state.open_slices.capacity() * sizeof(OpenSlice) + state.open_ops.capacity() * sizeof(OpRow);
  for (const Track& track : state.tracks) bytes += size_bytes_of(track);
  return bytes;
}

std::uint64_t Trace::version() const { return state_->version; }
std::uint64_t Trace::identity() const { return state_->identity; }
const std::map<std::string, std::string>& Trace::metadata() const { return state_->metadata; }

void Trace::set_metadata(std::string key, std::string value) {
  state_->metadata[std::move(key)] = std::move(value);
  ++state_->version;
}

ArgsId Trace::add_args(std::span<const Arg> set) { return state_->args.add(set); }

void Trace::append(Batch&& batch) {
  State& state = *state_;
  state.define(batch);
  state.append_rows(batch);
  state.open_slices = std::move(batch.open_slices);
  state.open_ops = std::move(batch.open_ops);
  state.open_ops_sorted = std::is_sorted(state.open_ops.begin(), state.open_ops.end(),
                                         [](const OpRow& a, const OpRow& b) { return a.id < b.id; });
  state.losses.add(batch.losses);
  state.watermark = std::max(state.watermark, batch.watermark);
  ++state.version;
}

void Trace::set_store(std::shared_ptr<BlockStore> store) {
  state_->store = std::move(store);
  ++state_->version;
}

void Trace::adopt(TrackId track, std::uint32_t depth, std::shared_ptr<const LaneSource> source,
                  std::span<const SliceBlock::Summary> summaries, Duration busy) {
  state_->lane(track, depth).adopt(std::move(source), summaries, busy);
  ++state_->version;
}

void Trace::adopt(TrackId counter, const StoredBlocks<CounterBlock>& blocks) {
  state_->defined(counter).counter.adopt(blocks);
  ++state_->version;
}

void Trace::adopt(const StoredTables& tables) {
  state_->ops.adopt(tables.ops);
  state_->flows.adopt(tables.flows);
  state_->dependencies.adopt(tables.dependencies);
  state_->allocations.adopt(tables.allocations);
  if (!tables.instants.summaries.empty()) state_->instants.adopt(tables.instants);
  ++state_->version;
}

void Trace::add_loss(LossCause cause, std::uint64_t count) {
  state_->losses.add(cause, count);
  ++state_->version;
}

void Trace::retain_at_most(std::size_t limit_bytes) {
  std::uint64_t rows = 0;
  for (std::size_t size = size_bytes(); size > limit_bytes; size = size_bytes()) {
    const auto end = state_->end_of_oldest(size - limit_bytes + limit_bytes / kShareEvicted);
    if (!end) break;
    const std::uint64_t went = state_->evict_before(*end + Duration{1});
    if (went == 0) break;
    rows += went;
  }
  if (rows > 0) add_loss(LossCause::kEvicted, rows);
}

Trace Trace::snapshot() const { return Trace(std::make_unique<State>(*state_)); }

}  // namespace runahead::trace
