// RecordingAssembler: decoded blocks, in the order of the file, into a Trace. What a Trace takes for granted
// (ids defined, rows in order) is checked here first, so that no file can break one; a block that does not
// hold up is counted (LossCause::kFileUnknown) and left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/gathered_rows.h"
#include "instrumentation/trace/io/payload.h"
#include "instrumentation/trace/stored_tables.h"
#include "instrumentation/trace/trace.h"

namespace runahead::trace::io {

class RecordingAssembler {
 public:
  // `end_offset`: where the block ends in the file; definitions may be no more than a file of that size
  // holds.
  void add(BlockKind kind, std::string_view payload, std::uint64_t end_offset);
  void add_unknown_block() {
    ++refused_;
    pending_losses_.add(LossCause::kFileUnknown);
  }
  // Takes a lane whose first rows stay in the file: it is not empty, its track is defined and may hold
  // slices, and no row of it has been added; else false.
  [[nodiscard]] bool adopt(TrackId track, std::uint32_t depth, std::shared_ptr<const LaneSource> source,
                           std::span<const SliceBlock::Summary> summaries, Duration busy);
  // The same of a counter, and of tables; false also where blocks are not in the order of time that they have
  // to be in. REQUIRES: no row of them has been added.
  [[nodiscard]] bool adopt(TrackId counter, const StoredBlocks<CounterBlock>& blocks);
  [[nodiscard]] bool adopt(const StoredTables& tables);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // blocks that did not hold up
  [[nodiscard]] std::uint64_t string_count() const { return string_count_; }
  [[nodiscard]] std::uint64_t args_count() const { return args_count_; }
  [[nodiscard]] std::uint64_t track_count() const { return track_kinds_.size(); }
  // `ended`: the writer finished. If not, what was open when last seen is shown as unfinished.
  [[nodiscard]] Trace finish(bool ended);

 private:
  [[nodiscard]] bool take(BlockKind kind, std::string_view payload);
  [[nodiscard]] bool take_metadata(std::string_view payload);
  [[nodiscard]] bool take_strings(std::string_view payload);
  [[nodiscard]] bool take_tracks(std::string_view payload);
  [[nodiscard]] bool take_args(std::string_view payload);
  [[nodiscard]] bool take_slices(std::string_view payload);
  [[nodiscard]] bool take_counters(std::string_view payload);
  [[nodiscard]] bool take_instants(std::string_view payload);
  [[nodiscard]] bool take_ops(std::string_view payload);
  [[nodiscard]] bool take_flows(std::string_view payload);
  [[nodiscard]] bool take_dependencies(std::string_view payload);
  [[nodiscard]] bool take_holdings(std::string_view payload);
  [[nodiscard]] bool take_losses(std::string_view payload);
  [[nodiscard]] bool take_commit(std::string_view payload);

  [[nodiscard]] bool string_known(StringId id) const { return raw(id) < string_count_; }
  [[nodiscard]] bool args_known(ArgsId id) const { return raw(id) <= args_count_; }
  [[nodiscard]] bool track_known(TrackId id) const { return raw(id) < track_kinds_.size(); }
  [[nodiscard]] bool track_known_or_none(TrackId id) const { return id == kNoTrack || track_known(id); }
  [[nodiscard]] bool holds_slices(TrackId id) const;
  [[nodiscard]] bool holds_samples(TrackId id) const;
  [[nodiscard]] bool track_fits(const TrackInfo& track) const;
  [[nodiscard]] bool args_fit(const ArgSet& set) const;
  [[nodiscard]] bool slice_fits(const Slice& slice) const;
  [[nodiscard]] bool op_fits(const OpRow& op) const;
  [[nodiscard]] bool lane_fits(const LaneRows& lane);
  // Room for lanes [0, depth] of the track; false where the file is too small to have so many.
  [[nodiscard]] bool make_room_for_lane(TrackId track, std::uint32_t depth);
  void append_gathered();
  void show_open_slices(std::vector<OpenSlice>& open);
  [[nodiscard]] std::vector<OpRow> still_open(const std::vector<OpRow>& ops) const;

  Trace trace_;
  GatheredRows gathered_;  // since the last append
  LossCounts pending_losses_;
  Metadata metadata_;
  bool first_append_ = true;
  std::uint64_t refused_ = 0;
  std::uint64_t end_offset_ = 0;
  std::uint64_t string_count_ = 1;          // 0 is the empty string
  std::uint64_t args_count_ = 0;            // ids 1 ..= args_count_
  std::vector<TrackKind> track_kinds_;      // by id
  std::vector<std::uint32_t> lane_counts_;  // by track
  std::uint64_t lane_total_ = 0;
  std::unordered_map<std::uint64_t, Slice> last_slices_;       // by (track, depth)
  std::unordered_map<std::uint32_t, Timestamp> last_samples_;  // by track
  Timestamp last_instant_ = timestamp_from_ns(-kMaxTimeNs);
  std::vector<Instant> late_instants_;  // before one already appended: put in at the end, all at once
  std::string open_payload_;            // of the last kOpen block
};

}  // namespace runahead::trace::io
