#include "instrumentation/trace/fold_from_file.h"

#include <algorithm>
#include <memory>

namespace runahead::trace {
namespace {

// Clump: consecutive slices that are handled as one, because their rows are not in memory or not needed.
struct Clump {
  Timestamp begin{}, end{};
  std::uint64_t first_row = 0, row_count = 0;
  std::int64_t busy_ns = 0, longest_ns = 0;
  std::uint64_t longest_row = 0;
  // true: the clump is one whole bin or block. If it is wide, it becomes a separate run. false: the clump is
  // one slice, or several narrow slices that begin within the same span. Several slices never count as wide,
  // even if the last one ends after the span.
  bool undivided = false;
};

// Remembers the last answer of a lane's source, so that the source is not asked again for each bin.
template <typename T>
class Asked {
 public:
  template <typename Ask>
  const T* get(std::uint64_t number, Ask ask) {
    if (number_ != number) value_ = ask(number);
    number_ = number;
    return value_.get();
  }

 private:
  std::uint64_t number_ = UINT64_MAX;
  std::shared_ptr<const T> value_;
};

// Joins clumps into runs. Clumps that are narrower than a span and begin within the same span (fold.h) become
// one run. The fold starts with the far (coarsest) level of detail. If a bin or block is wide (at least one
// span long), the fold reads the next finer level, down to the rows.
class FileFold {
 public:
  FileFold(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out)
      : lane_(lane),
        rows_(lane.sequence()),
        begin_ns_(ns_from(range.begin)),
        end_ns_(ns_from(range.end)),
        span_ns_(span_ns),
        out_(out) {}

  void fold();

 private:
  [[nodiscard]] bool wide(std::int64_t begin_ns, std::int64_t end_ns) const {
    return end_ns - begin_ns >= span_ns_;
  }
  // Returns false if the interval from `begin_ns` to `end_ns` ends before the range begins. A slice of length
  // zero exactly at the start of the range is in the range.
  [[nodiscard]] bool reaches(std::int64_t begin_ns, std::int64_t end_ns) const {
    return end_ns > begin_ns_ || begin_ns >= begin_ns_;
  }
  // The end of the span that contains the time. Usually the time is in the same span as in the previous query
  // or in the next span. In both cases no division is needed.
  [[nodiscard]] std::int64_t span_end(std::int64_t time_ns) {
    const auto since = static_cast<std::uint64_t>(time_ns) - static_cast<std::uint64_t>(span_begin_ns_);
    const auto span = static_cast<std::uint64_t>(span_ns_);
    if (since >= 2 * span) {
      span_begin_ns_ = floor_to(time_ns, span_ns_);
    } else if (since >= span) {
      span_begin_ns_ += span_ns_;
    }
    return span_begin_ns_ + span_ns_;
  }
  // Returns the time at which the run of a narrow clump stops. The clump begins at `begin_ns`; later narrow
  // clumps that begin before the returned time join the same run.
  [[nodiscard]] std::int64_t stop_for(std::int64_t begin_ns) {
    return run_.row_count > 0 && begin_ns < stop_ns_ ? stop_ns_ : span_end(begin_ns);
  }
  // Returns true if the clump's longest slice is now the longest of the run. The caller must then set
  // run_.longest.
  [[nodiscard]] bool add(const Clump& clump);
  void flush();
  // Adds bins [first, last) of a level of detail, but calls on_wide(bin) for a wide bin. row_of(bin) returns
  // the row of the lane with which a bin begins.
  template <typename RowOf, typename OnWide>
  void add_bins(const SliceLod& bins, std::size_t first, std::size_t last, RowOf row_of, OnWide on_wide);
  // Adds a wide bin as one run: a single slice, or several slices if the finer data is not in memory.
  void add_one(const SliceLod& bins, std::size_t i, std::uint64_t row, std::uint64_t bin_rows);
  void add_blocks(std::size_t first, std::size_t last);
  void add_wide_block(std::size_t b);
  void add_clump(std::size_t b);  // adds a block as one run
  // Adds rows [first, last) of a block, from its FineLod. False: the FineLod is not in memory.
  [[nodiscard]] bool add_fine(std::size_t b, std::size_t first, std::size_t last);
  // Adds rows [first, last) one by one. False: the block is not in memory.
  [[nodiscard]] bool add_rows_if_here(std::size_t b, std::size_t first, std::size_t last);
  void add_rows(std::size_t b, const SliceBlock& block, std::size_t first, std::size_t last);
  void add_tail();

  const Lane& lane_;
  const BlockSequence<SliceBlock>& rows_;
  const std::int64_t begin_ns_, end_ns_;  // the range
  const std::int64_t span_ns_;
  std::vector<Run>& out_;
  // The run being built. row_count == 0: there is no run. A wide run consists of one clump: no further clumps
  // join it.
  Run run_;
  std::int64_t longest_ns_ = 0;
  std::int64_t stop_ns_ = 0;  // clumps that begin at or after this time start a new run
  std::int64_t span_begin_ns_ = floor_to(begin_ns_, span_ns_);  // start of the last queried span
  Asked<SliceLod> lod_;
  Asked<FineLod> fine_;
  Asked<SliceBlock> block_;
};

bool FileFold::add(const Clump& clump) {
  const std::int64_t begin_ns = ns_from(clump.begin);
  const bool alone = (clump.row_count == 1 || clump.undivided) && wide(begin_ns, ns_from(clump.end));
  if (run_.row_count > 0 && begin_ns < stop_ns_ && !alone) {
    run_.end = clump.end;
    run_.row_count += clump.row_count;
    run_.busy += Duration{clump.busy_ns};
    if (clump.longest_ns <= longest_ns_) return false;
  } else {
    flush();
    run_ = {.begin = clump.begin,
            .end = clump.end,
            .first_row = clump.first_row,
            .row_count = clump.row_count,
            .busy = Duration{clump.busy_ns},
            .coarse = alone && clump.row_count > 1};
    stop_ns_ = alone ? begin_ns : span_end(begin_ns);
  }
  longest_ns_ = clump.longest_ns;
  run_.longest_row = clump.longest_row;
  return true;
}

void FileFold::flush() {
  if (run_.row_count > 0) out_.push_back(run_);
  run_.row_count = 0;
}

template <typename RowOf, typename OnWide>
void FileFold::add_bins(const SliceLod& bins, std::size_t first, std::size_t last, RowOf row_of,
                        OnWide on_wide) {
  std::size_t i =
      gallop(first, last, [&](std::size_t c) { return reaches(bins.begin_ns(c), bins.end_ns(c)); });
  while (i < last && bins.begin_ns(i) < end_ns_) {
    const std::int64_t begin_ns = bins.begin_ns(i);
    if (wide(begin_ns, bins.end_ns(i))) {
      on_wide(i);
      ++i;
      continue;
    }
    const std::int64_t stop_ns = std::min(stop_for(begin_ns), end_ns_);
    std::size_t longest = i, next = i + 1;
    for (; next < last && bins.begin_ns(next) < stop_ns; ++next) {
      if (wide(bins.begin_ns(next), bins.end_ns(next))) break;
      if (bins.longest_ns(next) > bins.longest_ns(longest)) longest = next;
    }
    const SliceLod::Longest& best = bins.longest(longest);
    const Clump clump{timestamp_from_ns(begin_ns),
                      timestamp_from_ns(bins.end_ns(next - 1)),
                      row_of(i),
                      row_of(next) - row_of(i),
                      bins.busy_ns(i, next),
                      bins.longest_ns(longest),
                      row_of(longest) + best.index};
    if (add(clump)) run_.longest = best.look;
    i = next;
  }
}

void FileFold::add_rows(std::size_t b, const SliceBlock& block, std::size_t first, std::size_t last) {
  const std::uint64_t block_row = rows_.first_row_of(b);
  for (std::size_t i = first; i < last;) {
    const std::int64_t begin_ns = block.begin_ns(i), duration_ns = block.duration_ns(i);
    if (begin_ns >= end_ns_) return;
    if (!reaches(begin_ns, begin_ns + duration_ns)) {
      ++i;
      continue;
    }
    Clump clump{timestamp_from_ns(begin_ns),
                timestamp_from_ns(begin_ns + duration_ns),
                block_row + i,
                1,
                duration_ns,
                duration_ns,
                block_row + i};
    std::size_t next = i + 1, longest = i;
    if (duration_ns < span_ns_) {
      const std::int64_t stop_ns = std::min(stop_for(begin_ns), end_ns_);
      for (; next < last; ++next) {
        const std::int64_t next_ns = block.begin_ns(next), length_ns = block.duration_ns(next);
        if (next_ns >= stop_ns || length_ns >= span_ns_) break;
        clump.end = timestamp_from_ns(next_ns + length_ns);
        clump.busy_ns += length_ns;
        if (length_ns <= clump.longest_ns) continue;
        clump.longest_ns = length_ns;
        longest = next;
      }
    }
    clump.row_count = next - i;
    clump.longest_row = block_row + longest;
    if (add(clump)) run_.longest = block.look(longest);
    i = next;
  }
}

void FileFold::add_one(const SliceLod& bins, std::size_t i, std::uint64_t row, std::uint64_t bin_rows) {
  const Clump clump{timestamp_from_ns(bins.begin_ns(i)),
                    timestamp_from_ns(bins.end_ns(i)),
                    row,
                    bin_rows,
                    bins.busy_ns(i, i + 1),
                    bins.longest_ns(i),
                    row + bins.longest(i).index,
                    true};
  if (add(clump)) run_.longest = bins.longest(i).look;
}

bool FileFold::add_rows_if_here(std::size_t b, std::size_t first, std::size_t last) {
  const SliceBlock* const block = block_.get(
      rows_.first_block() + b, [this](std::uint64_t number) { return lane_.source().if_here(number); });
  if (block != nullptr) add_rows(b, *block, first, last);
  return block != nullptr;
}

bool FileFold::add_fine(std::size_t b, std::size_t first, std::size_t last) {
  const FineLod* const fine = fine_.get(
      rows_.first_block() + b, [this](std::uint64_t number) { return lane_.source().fine_if_here(number); });
  if (fine == nullptr) return false;
  const std::uint64_t row = rows_.first_row_of(b);
  const auto row_of = [&](std::size_t c) { return row + fine->first_row(c); };
  add_bins(fine->bins(), fine->bin_from(first), fine->bin_from(last), row_of, [&](std::size_t c) {
    const std::size_t bin_first = fine->first_row(c), bin_last = fine->first_row(c + 1);
    if (bin_last - bin_first > 1 && add_rows_if_here(b, bin_first, bin_last)) return;
    add_one(fine->bins(), c, row + bin_first, bin_last - bin_first);
  });
  return true;
}

void FileFold::add_clump(std::size_t b) {
  const SliceBlock::Summary& summary = rows_.blocks()[b].summary;
  const std::uint64_t row = rows_.first_row_of(b);
  const Clump clump{summary.begin,
                    summary.end,
                    row,
                    kBlockRows,
                    lane_.busy(row, row + kBlockRows).count(),
                    summary.longest_ns,
                    row + summary.longest_index,
                    true};
  if (add(clump)) run_.longest = summary.longest;
}

void FileFold::add_wide_block(std::size_t b) {
  const auto& entry = rows_.blocks()[b];
  if (entry.block != nullptr) return add_rows(b, *entry.block, 0, kBlockRows);
  const std::uint64_t number = rows_.first_block() + b;
  const SliceLod* const lod = lod_.get(
      number / kLodBlocks, [this](std::uint64_t wanted) { return lane_.source().lod_if_here(wanted); });
  if (lod == nullptr) return add_clump(b);
  const std::size_t first = number % kLodBlocks * kLodBinsPerBlock;
  if (first + kLodBinsPerBlock > lod->size()) {  // the file has no level of detail for this block
    if (!add_fine(b, 0, kBlockRows)) add_clump(b);
    return;
  }
  const std::uint64_t row = rows_.first_row_of(b);
  const auto row_of = [&](std::size_t c) { return row + (c - first) * kLodBinRows; };
  add_bins(*lod, first, first + kLodBinsPerBlock, row_of, [&](std::size_t c) {
    const std::size_t i = (c - first) * kLodBinRows;
    // If the rows of the bin begin at least a span apart on average, most rows become separate runs. Then the
    // rows themselves are needed. Otherwise the FineLod is used.
    const bool rows = (lod->end_ns(c) - lod->begin_ns(c)) / std::int64_t{kLodBinRows} >= span_ns_;
    const bool told = rows ? add_rows_if_here(b, i, i + kLodBinRows) : add_fine(b, i, i + kLodBinRows);
    if (!told) add_one(*lod, c, row + i, kLodBinRows);
  });
}

void FileFold::add_blocks(std::size_t first, std::size_t last) {
  for (std::size_t b = first; b < last; ++b) {
    const SliceBlock::Summary& summary = rows_.blocks()[b].summary;
    const std::int64_t begin_ns = ns_from(summary.begin), end_ns = ns_from(summary.end);
    if (begin_ns >= end_ns_) return;
    if (!reaches(ns_from(summary.last_begin), end_ns)) continue;
    wide(begin_ns, end_ns) ? add_wide_block(b) : add_clump(b);
  }
}

void FileFold::add_tail() {
  const auto tail = rows_.tail();
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const Slice& slice = tail[i].slice;
    if (slice.begin >= timestamp_from_ns(end_ns_)) return;
    if (!reaches(ns_from(slice.begin), ns_from(slice.end))) continue;
    const std::int64_t duration_ns = ns_from(slice.duration());
    const std::uint64_t row = rows_.tail_row() + i;
    if (add({slice.begin, slice.end, row, 1, duration_ns, duration_ns, row})) run_.longest = look_of(slice);
  }
}

void FileFold::fold() {
  const std::size_t blocks = rows_.blocks().size();
  // Bin 0 of the far level begins with the first block of the recording. Eviction removes blocks at the
  // start, and then the bins no longer match the blocks. Therefore the far level is used only if no block was
  // evicted. In that case, whole bins of the far level are added first. The remaining blocks are added one by
  // one: the blocks after the last whole bin, or all blocks if some were evicted.
  const SliceLod& far = lane_.far_view();
  constexpr std::uint64_t kFarRows = kLodBlocks * kBlockRows;
  const bool all_here = rows_.first_block() == 0;
  const std::size_t in_bins = all_here ? std::min(far.size() * kLodBlocks, blocks) / kLodBlocks : 0;
  add_bins(
      far, 0, in_bins, [](std::size_t c) { return c * kFarRows; },
      [&](std::size_t c) { add_blocks(c * kLodBlocks, (c + 1) * kLodBlocks); });
  add_blocks(in_bins * kLodBlocks, blocks);
  add_tail();
  flush();
}

}  // namespace

void fold_from_file(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out) {
  FileFold(lane, range, span_ns, out).fold();
}

}  // namespace runahead::trace
