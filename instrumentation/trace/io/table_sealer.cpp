#include "instrumentation/trace/io/table_sealer.h"

#include "instrumentation/trace/io/payload.h"

namespace runahead::trace::io {
namespace {

// Beyond this there are too many counters to keep the rows of: 8,000 that are half full.
constexpr std::size_t kMostKeptSampleBytes = 64u << 20;

}  // namespace

PieceSealer<CounterBlock>& CounterSealer::pieces_of(TrackId counter) {
  const auto [place, is_new] = places_.try_emplace(raw(counter), counters_.size());
  if (is_new) counters_.emplace_back(counter, PieceSealer<CounterBlock>(counter));
  return counters_[place->second].second;
}

std::size_t CounterSealer::missing(const CounterChunk& of) const {
  const auto place = places_.find(raw(of.track));
  return place == places_.end() ? 0 : counters_[place->second].second.missing();
}

void CounterSealer::add_loose(const CounterChunk& rows, const EmitBlock& emit) {
  if (abandoned_ || rows.rows.empty()) return;
  PieceSealer<CounterBlock>& pieces = pieces_of(rows.track);
  pending_rows_ -= pieces.pending().size();
  pieces.add_loose(rows.rows, emit);
  pending_rows_ += pieces.pending().size();
  if (pending_rows_ * sizeof(CounterSample) <= kMostKeptSampleBytes) return;
  abandoned_ = true;
  places_.clear();
  counters_.clear();
}

void CounterSealer::add_block(const CounterChunk& rows, std::uint64_t offset, const EmitBlock& emit) {
  if (!abandoned_) pieces_of(rows.track).add_block(rows.rows, offset, emit);
}

void CounterSealer::write_tails(const EmitBlock& emit, Opening& opening) {
  TailWriter<CounterChunk> tails(BlockKind::kCounters, encode_counters, emit, opening);
  for (const auto& [track, pieces] : counters_) tails.add({track, pieces.pending()});
  tails.finish();
}

void CounterSealer::finish(const EmitBlock& emit, Opening& opening) {
  opening.has_counters = !abandoned_;
  for (auto& [track, pieces] : counters_) pieces.finish(emit, opening);
  write_tails(emit, opening);
}

}  // namespace runahead::trace::io
