// RecordingAssembler: builds a Trace from decoded blocks in file order. RecordingAssembler first checks
// everything that a Trace relies on (ids defined, rows in order), so that no file can break a Trace. An
// invalid block is counted (LossCause::kFileUnknown) and skipped. If definitions are lost, placeholders
// replace the lost names, tracks and arguments, so that the rows that use them are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/gathered_rows.h"
#include "instrumentation/trace/stored_tables.h"
#include "instrumentation/trace/trace.h"

namespace runahead::recordings {
using namespace trace;

class RecordingAssembler {
 public:
  // kWhole: the trace is complete after finish(). kFollow: the trace is complete up to the watermark after
  // each block of kind kCommit: it also has the metadata, the late instants and the open rows of then.
  enum class Mode { kWhole, kFollow };
  // Gets each batch just before the trace gets it. The batches of a recording give all its definitions, rows
  // and losses, but neither its metadata nor its lists of open rows.
  using SeeBatch = std::function<void(const Batch& batch)>;
  explicit RecordingAssembler(Mode mode = Mode::kWhole, SeeBatch see = {})
      : mode_(mode), see_(std::move(see)) {}

  // `end_offset`: the end of the block in the file. This offset limits the number of definitions so far,
  // because a small file cannot have many definitions.
  void add(BlockKind kind, std::string_view payload, std::uint64_t end_offset);
  void add_unknown_block() {
    ++refused_;
    pending_losses_.add(LossCause::kFileUnknown);
  }
  // Call this function when blocks before the next block were damaged. After this call an undefined id means
  // a lost definition: a name becomes "(name lost)", a track "(track lost)" with the kind that its first rows
  // need, arguments become empty. Before this call a block with an undefined id is refused.
  void expect_lost_definitions() { definitions_lost_ = true; }
  // Adopts a lane whose chunks stay in the file. Its last rows may be added afterwards. Returns true only if
  // the lane is not empty, its track is defined and may have slices, and no row of the lane was added before.
  [[nodiscard]] bool adopt(TrackId track, std::uint32_t depth, std::shared_ptr<const LaneSource> source,
                           std::span<const SliceBlock::Summary> summaries, Duration busy);
  // Adopts the chunks of a counter, or of all tables. Also returns false if the blocks are not in the
  // required time order. REQUIRES: no row of this counter or of these tables was added before.
  [[nodiscard]] bool adopt(TrackId counter, const StoredBlocks<CounterBlock>& blocks);
  [[nodiscard]] bool adopt(const StoredTables& tables);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // number of invalid blocks
  [[nodiscard]] std::uint64_t string_count() const { return string_count_; }
  [[nodiscard]] std::uint64_t args_count() const { return args_count_; }
  [[nodiscard]] std::uint64_t track_count() const { return tracks_.size(); }
  // `ended`: the writer finished. Otherwise the last known open slices are shown as unfinished.
  [[nodiscard]] Trace finish(bool ended);
  // Works like finish(), but the trace stays here. REQUIRES: kFollow.
  void finish_following(bool ended);
  // The rows so far. The caller may evict rows. REQUIRES: kFollow.
  [[nodiscard]] Trace& trace() { return trace_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  [[nodiscard]] bool take(BlockKind kind, std::string_view payload);
  [[nodiscard]] bool take_metadata(std::string_view payload);
  [[nodiscard]] bool take_strings(std::string_view payload);
  [[nodiscard]] bool take_tracks(std::string_view payload);
  [[nodiscard]] bool take_args(std::string_view payload);
  [[nodiscard]] bool take_slices(std::string_view payload);
  [[nodiscard]] bool take_counters(std::string_view payload);
  [[nodiscard]] bool take_instants(std::string_view payload);
  [[nodiscard]] bool late_instants_are_due() const;
  void append_late_instants();
  [[nodiscard]] bool take_ops(std::string_view payload);
  [[nodiscard]] bool take_flows(std::string_view payload);
  [[nodiscard]] bool take_dependencies(std::string_view payload);
  [[nodiscard]] bool take_allocations(std::string_view payload);
  [[nodiscard]] bool take_losses(std::string_view payload);
  [[nodiscard]] bool take_commit(std::string_view payload);

  // What a track can contain: slices, samples or other tracks. The role of a track never changes.
  enum class Role { kSlices, kSamples, kTracks };
  [[nodiscard]] static Role role_of(TrackKind kind);

  // False: the id is not defined, and nothing was lost that may have defined it.
  [[nodiscard]] bool string_known(StringId id) {
    return raw(id) < string_count_ || stand_in_strings(raw(id));
  }
  [[nodiscard]] bool args_known(ArgsId id) { return raw(id) <= args_count_ || stand_in_args(raw(id)); }
  [[nodiscard]] bool track_known(TrackId id) { return raw(id) < tracks_.size() || stand_in_tracks(raw(id)); }
  [[nodiscard]] bool track_known_or_none(TrackId id) { return id == kNoTrack || track_known(id); }
  // True if the track has this role. If the track is a placeholder whose role is not decided yet, the track
  // gets this role.
  [[nodiscard]] bool track_takes(TrackId id, Role role);
  [[nodiscard]] bool holds_slices(TrackId id) { return track_takes(id, Role::kSlices); }
  [[nodiscard]] bool holds_samples(TrackId id) { return track_takes(id, Role::kSamples); }
  // Adds placeholders for all undefined ids up to `last`. False: no definitions were lost, or the file is too
  // small for so many placeholders.
  [[nodiscard]] bool stand_in_strings(std::uint64_t last);
  [[nodiscard]] bool stand_in_args(std::uint64_t last);
  [[nodiscard]] bool stand_in_tracks(std::uint64_t last);
  void append_strings(std::vector<std::string> strings);
  void define_track(TrackInfo track);
  [[nodiscard]] bool track_fits(const TrackInfo& track);
  [[nodiscard]] bool args_fit(const ArgSet& set);
  class Names;
  // fits(): true if all ids in the row are defined. all_fit(): true if all ids in all rows are defined.
  template <typename Row>
  [[nodiscard]] bool fits(const Row& row);
  template <typename Row>
  [[nodiscard]] bool all_fit(const std::vector<Row>& rows);
  [[nodiscard]] bool lane_fits(const LaneRows& lane);
  // Reserves lanes [0, depth] of the track. False: the file is too small to have that many lanes.
  [[nodiscard]] bool make_room_for_lane(TrackId track, std::uint32_t depth);
  void append(Batch&& batch);
  void append_gathered();
  void append_rest(bool ended);
  // Removes from `open` what has ended since the list was written, and what names undefined ids.
  void keep_open(std::vector<OpenSlice>& open);
  void show_open_slices(std::vector<OpenSlice>& open);
  void follow_commit();
  [[nodiscard]] std::vector<OpRow> still_open(const std::vector<OpRow>& ops);

  const Mode mode_;
  const SeeBatch see_;  // may be empty
  Trace trace_;
  GatheredRows gathered_;  // rows since the last append
  LossCounts pending_losses_;
  Metadata metadata_;
  UnknownColumns unknown_columns_;
  bool first_append_ = true;
  std::uint64_t refused_ = 0;
  std::uint64_t end_offset_ = 0;
  std::uint64_t string_count_ = 1;  // 0 is the empty string
  std::uint64_t args_count_ = 0;    // the ids are [1, args_count_]
  struct KnownTrack {
    TrackKind kind;
    bool role_open = false;  // a placeholder of unknown kind
    std::uint32_t lanes = 0;
  };
  std::vector<KnownTrack> tracks_;  // indexed by id
  bool definitions_lost_ = false;
  std::uint64_t lane_total_ = 0;
  std::unordered_map<std::uint64_t, Slice> last_slices_;       // key: (track, depth)
  std::unordered_map<std::uint32_t, Timestamp> last_samples_;  // key: track
  Timestamp last_instant_ = timestamp_from_ns(-kMaxTimeNs);
  // Instants of blocks that begin before the last instant added so far. finish() adds them to the trace; in
  // kFollow they are added earlier, if this costs little.
  static constexpr Timestamp kNoLateInstant = timestamp_from_ns(kMaxTimeNs);
  std::vector<Instant> late_instants_;
  Timestamp late_since_ = kNoLateInstant;  // the first of them
  std::string open_payload_;               // payload of the last kOpen block
};

}  // namespace runahead::recordings
