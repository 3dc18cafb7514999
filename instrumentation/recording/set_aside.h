// A lane or counter is set aside if the writer has too little memory to keep its rows until they form chunks.
// SetAside collects the rows of these lanes or counters. When there are many such rows, they are written as a
// run (row_runs.h). At the end hand_over() passes all rows to the sealer, lane by lane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/recording/row_runs.h"

namespace runahead::recordings {
using namespace trace;

template <typename Format>
class SetAside {
 public:
  using Chunk = typename Format::Chunk;
  using Rows = typename Format::Rows;

  [[nodiscard]] bool holds(const Chunk& of) const {
    return !kept_.empty() && kept_.contains(Format::key(of));
  }
  // Adds rows of a lane or counter. The first call for a lane or counter sets it aside.
  void add(const Chunk& rows) {
    const auto [place, is_new] = kept_.try_emplace(Format::key(rows));
    if (is_new) place->second = Format::none_of(rows);
    auto& kept = place->second.rows;
    kept_rows_ -= kept.capacity();
    kept.insert(kept.end(), rows.rows.begin(), rows.rows.end());
    kept_rows_ += kept.capacity();
  }
  // Bytes of the rows in memory.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_rows_ * Format::kRowBytes; }
  // Writes the rows in memory to the file, as one run.
  void write_run(const EmitBlock& emit) {
    if (kept_rows_ == 0) return;
    std::vector<Rows*> in_order;
    for (auto& [key, rows] : kept_) {
      if (!rows.rows.empty()) in_order.push_back(&rows);
    }
    std::ranges::sort(in_order, {}, [](const Rows* rows) { return Format::key(*rows); });
    runs_.emplace_back();
    SharedBlocks<Format> blocks(emit, runs_.back());
    for (Rows* rows : in_order) {
      blocks.add(Format::all_of(*rows));
      rows->rows = decltype(rows->rows)();  // also frees the memory of the vector
    }
    blocks.finish();
    kept_rows_ = 0;
  }
  // Passes all rows to `take`, in the same way as merge_row_runs() does. Reads at most `most` runs at once
  // and keeps one block of each in memory. False: a run cannot be read. Call it once.
  template <typename Take>
  [[nodiscard]] bool hand_over(std::size_t most, const EmitBlock& emit, const ReadBlock& read, Take take) {
    write_run(emit);
    const auto merge = [&](std::span<const RowRun> some) -> std::optional<RowRun> {
      RowRun merged;
      SharedBlocks<Format> blocks(emit, merged);
      if (!merge_row_runs<Format>(some, read, [&](const Chunk& rows, bool) { blocks.add(rows); })) return {};
      blocks.finish();
      return merged;
    };
    return merge_to_fewer(runs_, most, merge) && merge_row_runs<Format>(runs_, read, take);
  }

 private:
  std::unordered_map<std::uint64_t, Rows> kept_;  // indexed by key
  std::size_t kept_rows_ = 0;                     // total capacity of the vectors in kept_, in rows
  std::vector<RowRun> runs_;                      // in time order
};

}  // namespace runahead::recordings
