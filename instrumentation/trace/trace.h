// Trace: all data of one capture, as columns. It uses no threads, no GUI and no CUDA. One thread, the owner,
// appends and reads without a lock. Any other thread works on a snapshot(), which shares the immutable blocks
// and costs O(tracks + blocks), not O(rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/trace/counter_series.h"
#include "instrumentation/trace/lane.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::trace {

class AllocationTable;  // allocation_table.h
class InstantTable;     // instant_table.h
struct StoredTables;    // stored_tables.h

// The data of a track.
struct Track {
  TrackInfo info;
  std::vector<Lane> lanes;  // index: depth
  CounterSeries counter;    // kCounter only
};

struct TraceCounts {
  std::uint64_t tracks = 0, slices = 0, instants = 0, counters = 0, counter_samples = 0, flows = 0, ops = 0,
                dependencies = 0, allocations = 0;
};

class Trace {
 public:
  Trace();

  // ---- reading -------------------------------------------------------------------------------------
  [[nodiscard]] std::span<const Track> tracks() const;  // by id
  [[nodiscard]] const Track& track(TrackId id) const;   // REQUIRES: defined
  // REQUIRES: the id is defined. The view stays valid as long as the trace, or any snapshot that has the
  // string, lives.
  [[nodiscard]] std::string_view string(StringId id) const;
  [[nodiscard]] std::uint64_t string_count() const;  // ids are [0, string_count())
  [[nodiscard]] std::optional<StringId> find_string(std::string_view text) const;  // O(strings)
  [[nodiscard]] std::span<const Arg> args(ArgsId id) const;  // empty for kNoArgs; stays valid like string()
  [[nodiscard]] std::uint64_t args_count() const;            // number of sets; ids are [1, args_count()]
  // Slices that are still running, so their end is not known. Draw them up to watermark().
  [[nodiscard]] std::span<const OpenSlice> open_slices() const;
  [[nodiscard]] std::span<const OpRow> open_ops() const;

  // An op, ended or still open. O(log n) if all ops come from one engine.
  [[nodiscard]] std::optional<OpRow> op(OpId id) const;
  [[nodiscard]] std::uint64_t op_count() const;           // number of ended ops in the trace
  [[nodiscard]] OpRow op_row(std::uint64_t index) const;  // in the order of ending; REQUIRES: < op_count()
  // The number of ops that ended within `range`. O(blocks + rows of the blocks at the range's borders).
  [[nodiscard]] std::uint64_t ops_ended_in(TimeRange range) const;

  // Ops enqueued at or before `t` that had not ended by then, including open ones; at most `limit`, in the
  // order of enqueueing. Returns the number of all such ops. A batch lists only a limited number of open ops,
  // so some open ops may be missing here. O(blocks + ops of the blocks whose time range contains t).
  std::uint64_t ops_in_flight_at(Timestamp t, std::size_t limit, std::vector<OpRow>& out) const;

  // The dependencies between ops. DependencyTable states the costs of the searches.
  [[nodiscard]] std::uint64_t dependency_count() const;
  [[nodiscard]] Dependency dependency(std::uint64_t index) const;  // in the order of arrival
  std::uint64_t dependencies_of(OpId op, std::size_t limit, std::vector<Dependency>& out) const;
  std::uint64_t dependents_of(OpId op, std::size_t limit, std::vector<Dependency>& out,
                              std::optional<std::size_t> most_blocks = {}) const;

  // Allocations. A block of memory with a long life has two rows (see Allocation).
  [[nodiscard]] const AllocationTable& allocations() const;

  [[nodiscard]] std::uint64_t flow_count() const;
  [[nodiscard]] Flow flow(std::uint64_t index) const;  // in the order of arrival
  // flows_of_op() finds the flows of `op`. flows_touching() finds the flows that leave or enter `track` at a
  // time in `range`. Both put at most `limit` flows into `out`, and return the number of all flows that
  // match.
  std::uint64_t flows_of_op(OpId op, std::size_t limit, std::vector<Flow>& out) const;
  std::uint64_t flows_touching(TrackId track, TimeRange range, std::size_t limit,
                               std::vector<Flow>& out) const;

  [[nodiscard]] std::uint64_t instant_count() const;
  [[nodiscard]] Instant instant(std::uint64_t index) const;  // sorted by time
  // Index of the first instant at or after `t`. O(log n).
  [[nodiscard]] std::uint64_t first_instant_from(Timestamp t) const;
  // Use row_reader.h to iterate over instants.
  [[nodiscard]] const InstantTable& instants() const;

  // Covers all slices, samples and instants, and the watermark; empty if there are no such rows.
  [[nodiscard]] TimeRange extent() const;
  [[nodiscard]] Timestamp watermark() const;
  // Includes blocks of the file that were found unreadable after the file was opened.
  [[nodiscard]] LossCounts losses() const;
  [[nodiscard]] TraceCounts counts() const;
  [[nodiscard]] std::size_t size_bytes() const;
  // The store that limits the blocks loaded from the trace's file; nullptr: all rows are in memory.
  [[nodiscard]] std::shared_ptr<BlockStore> store() const;
  // Grows with each append. Every cache of derived data uses the version as its key.
  [[nodiscard]] std::uint64_t version() const;
  // Identifies the trace in this process. Its snapshots have the same identity; other traces have a different
  // identity.
  [[nodiscard]] std::uint64_t identity() const;

  // Properties of the whole capture: "host", "started_at" (ISO 8601), "workload", "format",
  // "runahead.version"...
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const;
  void set_metadata(std::string key, std::string value);

  // ---- the owner -----------------------------------------------------------------------------------
  void append(Batch&& batch);
  // Adds one argument set that is not part of a batch. A later batch may define the strings to which the set
  // refers, but it must do this before the set is read.
  ArgsId add_args(std::span<const Arg> set);
  // These functions add rows that stay in a file, and the store that loads these rows; see Lane::adopt().
  // REQUIRES: the track is defined; the lane or counter is empty.
  void set_store(std::shared_ptr<BlockStore> store);
  void adopt(const StoredTables& tables);  // REQUIRES: the tables that get blocks are empty
  void adopt(TrackId track, std::uint32_t depth, std::shared_ptr<const LaneSource> source,
             std::span<const SliceBlock::Summary> summaries, Duration busy);
  void adopt(TrackId counter, const StoredBlocks<CounterBlock>& blocks);
  void add_loss(LossCause cause, std::uint64_t count);
  // If size_bytes() exceeds the limit, evicts the oldest rows until the size is a sixteenth below the limit,
  // or no whole block is left to evict. Evicted rows are counted (LossCause::kEvicted). Row numbers stay
  // valid.
  void retain_at_most(std::size_t limit_bytes);
  [[nodiscard]] Trace snapshot() const;

  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

 private:
  struct State;
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace runahead::trace
