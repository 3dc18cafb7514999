#include "instrumentation/recording/table_sealer.h"

#include <algorithm>

namespace runahead::recordings {
using namespace trace;

CounterSealer::Counter& CounterSealer::counter(TrackId track) {
  const auto [place, is_new] = places_.try_emplace(raw(track), counters_.size());
  if (is_new) counters_.push_back({track, ChunkSealer<CounterBlock>(track)});
  return counters_[place->second];
}

std::size_t CounterSealer::missing(const CounterChunk& of) const {
  const auto place = places_.find(raw(of.track));
  return place == places_.end() ? 0 : counters_[place->second].chunks.missing();
}

void CounterSealer::add_loose(const CounterChunk& rows, const EmitBlock& emit) {
  if (rows.rows.empty()) return;
  if (aside_.holds(rows)) {
    aside_.add(rows);
  } else {
    Counter& to = counter(rows.track);
    to.rows += rows.rows.size();
    pending_bytes_ -= to.chunks.pending_bytes();
    to.chunks.add_loose(rows.rows, emit);
    pending_bytes_ += to.chunks.pending_bytes();
  }
  keep_within_limit(emit);
}

void CounterSealer::add_block(const CounterChunk& rows, std::uint64_t offset, const EmitBlock& emit) {
  if (aside_.holds(rows)) {  // later chunks are made from the rows set aside
    aside_.add(rows);
    return keep_within_limit(emit);
  }
  Counter& to = counter(rows.track);
  to.rows += rows.rows.size();
  to.chunks.add_block(rows.rows, offset, emit);
}

void CounterSealer::keep_within_limit(const EmitBlock& emit) {
  if (pending_bytes_ + aside_.kept_bytes() <= limits_.sample_bytes) return;
  if (aside_.kept_bytes() < limits_.sample_bytes / 8) set_more_aside();
  aside_.write_run(emit);
}

// Sets counters aside until the samples set aside take half of the limit. Counters with the fewest samples so
// far come first.
void CounterSealer::set_more_aside() {
  std::vector<Counter*> keeping;
  for (Counter& one : counters_) {
    if (!one.chunks.pending().empty()) keeping.push_back(&one);
  }
  std::ranges::sort(keeping, {}, &Counter::rows);
  for (Counter* one : keeping) {
    if (aside_.kept_bytes() > limits_.sample_bytes / 2) break;
    pending_bytes_ -= one->chunks.pending_bytes();
    aside_.add({one->track, one->chunks.take_pending()});
  }
}

// Makes the chunks of one counter after another, so that only samples of one counter are in memory.
bool CounterSealer::seal_set_aside(const EmitBlock& emit, const ReadBlock& read,
                                   SharedBlocks<CounterRunFormat>& tails) {
  const auto take = [&](const CounterChunk& rows, bool) {
    ChunkSealer<CounterBlock>& chunks = counter(rows.track).chunks;
    chunks.add_again(rows.rows, emit);
    tails.add({rows.track, chunks.take_pending()});
  };
  return aside_.hand_over(limits_.runs_at_once, emit, read, take);
}

void CounterSealer::finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening) {
  Opening own;
  SharedBlocks<CounterRunFormat> tails(emit, own.tails);
  opening.has_counters = seal_set_aside(emit, read, tails);
  if (!opening.has_counters) return;
  for (Counter& one : counters_) {
    one.chunks.finish(emit, opening);
    tails.add({one.track, one.chunks.pending()});
  }
  tails.finish();
  opening.tails.insert(opening.tails.end(), own.tails.begin(), own.tails.end());
}

}  // namespace runahead::recordings
