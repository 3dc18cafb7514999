// InstantTable: instants sorted by time, packed. The blocks of an opened recording stay in its file. Copies
// share their blocks, like copies of a Lane. InstantReader iterates over the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/columns/row_packing.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// A set of tracks in 64 bits: each track sets bit (id % 64). Tracks may share a bit, so a set bit only means
// that instants may be on a track.
using TrackBits = std::uint64_t;
[[nodiscard]] constexpr TrackBits bit_of(TrackId track) { return TrackBits{1} << (raw(track) % 64); }
inline constexpr TrackBits kAnyTrack = ~TrackBits{0};

class InstantBlock {
 public:
  using Row = Instant;
  struct Summary {
    Timestamp first{}, last{};
    TrackBits tracks = 0;
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  [[nodiscard]] static Summary summary_of(std::span<const Instant> rows);  // REQUIRES: not empty
  explicit InstantBlock(std::span<const Instant> rows) : packed_(rows), summary_(summary_of(rows)) {}
  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] Instant row(std::size_t i) const;
  [[nodiscard]] std::int64_t at_ns(std::size_t i) const { return packed_.packed<&Instant::at>(i); }
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + packed_.packed_bytes(); }

 private:
  PackedRows<Instant> packed_;
  Summary summary_;
};

class InstantTable {
 public:
  void adopt(const StoredBlocks<InstantBlock>& blocks);  // REQUIRES: empty; blocks in time order
  // REQUIRES: `rows` are sorted by time. Rows may be earlier than the table's last row, if they come late or
  // from another source. Such rows are inserted in order of time, and then all later rows of the table are
  // copied.
  void append(std::span<const Instant> rows);
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] Instant row(std::uint64_t index) const;       // REQUIRES: < size()
  [[nodiscard]] std::uint64_t first_from(Timestamp t) const;  // O(log n)
  // Returns the time of the first or of the last row. These two functions never read the file. REQUIRES: not
  // empty.
  [[nodiscard]] Timestamp first_at() const;
  [[nodiscard]] Timestamp last_at() const;
  // False if no row has ever been on the track. True may be wrong: two tracks may share a bit (TrackBits),
  // and evicted rows still count. Never reads the file. O(1).
  [[nodiscard]] bool may_be_on(TrackId track) const { return (tracks_ & bit_of(track)) != 0; }
  void add_block_ends(std::vector<BlockEnd>& out) const;
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes(); }
  [[nodiscard]] const BlockSequence<InstantBlock>& sequence() const { return rows_; }

 private:
  void insert(std::span<const Instant> rows);

  BlockSequence<InstantBlock> rows_;
  TrackBits tracks_ = 0;  // of all rows so far
};

}  // namespace runahead::trace
