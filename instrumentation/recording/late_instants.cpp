#include "instrumentation/recording/late_instants.h"

#include <algorithm>
#include <queue>
#include <string>
#include <utility>

#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// Reads the rows of a run, one block after another.
class RunReader {
 public:
  RunReader(const InstantRun& run, const ReadBlock& read) : run_(run), read_(read) {}

  // The first call moves to the first row, each further call to the next row. False: the run has ended, or
  // failed().
  [[nodiscard]] bool next() {
    const Timestamp before = row_ == nullptr ? Timestamp::min() : row_->at;
    while (++at_ >= rows_.size()) {
      if (failed_ || !next_block()) return false;
    }
    row_ = &rows_[at_];
    failed_ = row_->at < before;
    return !failed_;
  }
  [[nodiscard]] const Instant& row() const { return *row_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  // Loads the next block. at_ is then before the first row of that block.
  [[nodiscard]] bool next_block() {
    const std::size_t skip = block_ == 0 ? run_.skip : 0;
    if (block_ < run_.blocks.size()) {
      failed_ = !decode_instants(rows_of(read_(run_.blocks[block_]), BlockKind::kInstants), loaded_) ||
                loaded_.size() < skip;
      if (failed_) return false;
      rows_ = std::span<const Instant>(loaded_).subspan(skip);
    } else if (block_ == run_.blocks.size()) {
      rows_ = run_.rest;
    } else {
      return false;
    }
    ++block_;
    at_ = SIZE_MAX;  // next() increments it to 0
    return true;
  }

  const InstantRun& run_;
  const ReadBlock& read_;
  std::vector<Instant> loaded_;
  std::span<const Instant> rows_;
  const Instant* row_ = nullptr;
  std::size_t at_ = SIZE_MAX, block_ = 0;  // at_: current row in rows_; block_: next block
  bool failed_ = false;
};

}  // namespace

bool merge_instants(std::span<const InstantRun> runs, const ReadBlock& read,
                    const std::function<void(std::span<const Instant>)>& take) {
  std::vector<RunReader> readers;
  for (const InstantRun& run : runs) readers.emplace_back(run, read);
  using Next = std::pair<Timestamp, std::size_t>;  // time, reader
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto advance = [&](std::size_t i) {
    if (readers[i].next()) next.emplace(readers[i].row().at, i);
    return !readers[i].failed();
  };
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (!advance(i)) return false;
  }
  std::vector<Instant> merged;
  while (!next.empty()) {
    const std::size_t i = next.top().second;
    next.pop();
    merged.push_back(readers[i].row());
    if (!advance(i)) return false;
    if (merged.size() < kRowsAgainAtOnce) continue;
    take(merged);
    merged.clear();
  }
  if (!merged.empty()) take(merged);
  return true;
}

}  // namespace runahead::recordings
