#include "instrumentation/trace/fold_from_file.h"

#include <memory>
#include <span>

namespace runahead::trace {
namespace {

// Some slices in a row, of which no more is known, or has to be.
struct Clump {
  Timestamp begin{}, end{};
  std::uint64_t first_row = 0, row_count = 0;
  std::int64_t busy_ns = 0, longest_ns = 0;
  std::uint64_t longest_row = 0;
};

// Joins clumps into runs: those that are narrower than a span and begin within the same one.
class FileFold {
 public:
  FileFold(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out)
      : lane_(lane), rows_(lane.sequence()), range_(range), span_ns_(span_ns), out_(out) {}

  void fold();

 private:
  [[nodiscard]] bool wide(Timestamp begin, Timestamp end) const { return ns_from(end - begin) >= span_ns_; }
  // Slices of length zero that lie right at the begin are in the range.
  [[nodiscard]] bool seen(Timestamp begin, Timestamp end) const {
    return (end > range_.begin || begin >= range_.begin) && begin < range_.end;
  }
  void add(const Clump& clump, const SliceLook& look) {
    if (joins(clump)) {
      join(clump);
      if (run_.longest_row == clump.longest_row) run_.longest = look;
      return;
    }
    start(clump);
    run_.longest = look;
  }
  [[nodiscard]] bool joins(const Clump& clump) const {
    return run_.row_count > 0 && clump.begin < stop_ && !wide(clump.begin, clump.end);
  }
  void join(const Clump& clump);
  void start(const Clump& clump);
  void flush();
  void add_block(std::size_t b);
  void add_cells(std::size_t b, std::span<const SliceCell> cells);
  void add_rows(std::size_t b, const SliceBlock& block, std::size_t first, std::size_t last);
  void add_tail();

  const Lane& lane_;
  const BlockSequence<SliceBlock>& rows_;
  const TimeRange range_;
  const std::int64_t span_ns_;
  std::vector<Run>& out_;
  Run run_;  // being made, unless it has no rows; a wide one ends at once
  std::int64_t longest_ns_ = 0;
  Timestamp stop_{};  // what begins from here on does not join it
};

void FileFold::join(const Clump& clump) {
  run_.end = clump.end;
  run_.row_count += clump.row_count;
  run_.busy += Duration{clump.busy_ns};
  if (clump.longest_ns <= longest_ns_) return;
  longest_ns_ = clump.longest_ns;
  run_.longest_row = clump.longest_row;
}

void FileFold::start(const Clump& clump) {
  flush();
  run_ = {.begin = clump.begin,
          .end = clump.end,
          .first_row = clump.first_row,
          .row_count = clump.row_count,
          .busy = Duration{clump.busy_ns},
          .longest_row = clump.longest_row};
  longest_ns_ = clump.longest_ns;
  const bool alone = wide(clump.begin, clump.end);
  run_.coarse = alone && clump.row_count > 1;
  stop_ = alone ? clump.begin : timestamp_from_ns(floor_to(ns_from(clump.begin), span_ns_) + span_ns_);
}

void FileFold::flush() {
  if (run_.row_count > 0) out_.push_back(run_);
  run_.row_count = 0;
}

void FileFold::add_rows(std::size_t b, const SliceBlock& block, std::size_t first, std::size_t last) {
  const std::uint64_t block_row = rows_.first_row_of(b);
  for (std::size_t i = first; i < last; ++i) {
    const Timestamp begin = timestamp_from_ns(block.begin_ns(i));
    const std::int64_t duration_ns = block.duration_ns(i);
    if (!seen(begin, begin + Duration{duration_ns})) continue;
    const Clump clump{begin,        begin + Duration{duration_ns}, block_row + i, 1, duration_ns, duration_ns,
                      block_row + i};
    const bool longest = !joins(clump) || duration_ns > longest_ns_;
    add(clump, longest ? look_of(block.slice(i)) : run_.longest);
  }
}

void FileFold::add_cells(std::size_t b, std::span<const SliceCell> cells) {
  const std::uint64_t block_row = rows_.first_row_of(b);
  std::shared_ptr<const SliceBlock> block;
  bool asked = false;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const SliceCell& cell = cells[c];
    if (!seen(cell.begin, cell.end)) continue;
    const std::uint64_t row = block_row + c * kCellRows;
    if (wide(cell.begin, cell.end)) {
      if (!asked) block = lane_.source()->if_here(rows_.first_block() + b);
      asked = true;
      if (block != nullptr) {
        add_rows(b, *block, c * kCellRows, (c + 1) * kCellRows);
        continue;
      }
    }
    add({cell.begin, cell.end, row, kCellRows, cell.busy_ns, cell.longest_ns, row + cell.longest_index},
        cell.longest);
  }
}

void FileFold::add_block(std::size_t b) {
  const auto& entry = rows_.blocks()[b];
  const SliceBlock::Summary& summary = entry.summary;
  const std::uint64_t number = rows_.first_block() + b, row = rows_.first_row_of(b);
  if (wide(summary.begin, summary.end)) {
    if (entry.block != nullptr) return add_rows(b, *entry.block, 0, kBlockRows);
    const auto digest = lane_.source()->digest_if_here(number / kDigestBlocks);
    const std::size_t first = number % kDigestBlocks * kCellsPerBlock;
    if (digest != nullptr && first + kCellsPerBlock <= digest->cells.size()) {
      return add_cells(b, std::span(digest->cells).subspan(first, kCellsPerBlock));
    }
    // No digest in the file: then the rows themselves.
    if (digest != nullptr) {
      if (const auto block = lane_.source()->if_here(number)) return add_rows(b, *block, 0, kBlockRows);
    }
  }
  add({summary.begin, summary.end, row, kBlockRows, lane_.busy(row, row + kBlockRows).count(),
       summary.longest_ns, row + summary.longest_index},
      summary.longest);
}

void FileFold::add_tail() {
  const auto tail = rows_.tail();
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const Slice& slice = tail[i].slice;
    if (!seen(slice.begin, slice.end)) continue;
    const std::int64_t duration_ns = ns_from(slice.duration());
    const std::uint64_t row = rows_.tail_row() + i;
    add({slice.begin, slice.end, row, 1, duration_ns, duration_ns, row}, look_of(slice));
  }
}

void FileFold::fold() {
  const auto blocks = rows_.blocks();
  const auto reaches = [this](const auto& entry) {
    return entry.summary.end > range_.begin || entry.summary.last_begin >= range_.begin;
  };
  for (std::size_t b = gallop(0, blocks.size(), [&](std::size_t i) { return reaches(blocks[i]); });
       b < blocks.size() && blocks[b].summary.begin < range_.end; ++b) {
    add_block(b);
  }
  add_tail();
  flush();
}

}  // namespace

void fold_from_file(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out) {
  FileFold(lane, range, span_ns, out).fold();
}

}  // namespace runahead::trace
