// The SQL tables `counter` (samples of counters) and `instant` (events without a duration).
#include <algorithm>
#include <optional>

#include "instrumentation/query/row_columns.h"
#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::query {
namespace {

// ---- counter: the samples of all counters -----------------------------------------------------------------

using trace::CounterSample;
constexpr auto kCounterLayout =
    layout_of<CounterSample>(Column{"track", "INTEGER"}, Column{"track_name", "TEXT"},
                             kColumnOf<&CounterSample::at>, kColumnOf<&CounterSample::value>);
constexpr int kTrack = kCounterLayout.at("track"), kTrackName = kCounterLayout.at("track_name"),
              kTs = kCounterLayout.at("ts");

class CounterRows final : public Rows {
 public:
  explicit CounterRows(const TraceTables& of) : trace_(of.trace()) {}
  void start(const Wanted& wanted) override {
    const Interval tracks = wanted.of(kTrack);
    times_ = wanted.of(kTs);
    const auto count = static_cast<std::int64_t>(trace_.tracks().size());
    track_ = static_cast<std::size_t>(std::clamp<std::int64_t>(tracks.low, 0, count));
    tracks_end_ = static_cast<std::size_t>(std::clamp<std::int64_t>(tracks.high, -1, count - 1) + 1);
    number_ = 0;
    enter_track();
  }
  [[nodiscard]] bool done() const override { return track_ >= tracks_end_; }
  void next() override {
    ++number_;
    if (++row_ < end_) return;
    ++track_;
    enter_track();
  }
  [[nodiscard]] std::int64_t number() const override { return number_; }
  void column(int column, Value& value) const override {
    const trace::Track& track = trace_.tracks()[track_];
    if (column == kTrack) return put_track(track.info.id, value);
    if (column == kTrackName) return value.text(track.info.name);
    kCounterLayout.put(samples_->sample(row_), trace_, column, value);
  }

 private:
  void enter_track() {
    for (; track_ < tracks_end_; ++track_) {
      const trace::CounterSeries& counter = trace_.tracks()[track_].counter;
      if (counter.empty()) continue;
      samples_.emplace(counter);
      row_ = counter.first_row_from(timestamp_from_ns(times_.low));
      end_ = times_.high == INT64_MAX ? counter.end_row()
                                      : counter.first_row_from(timestamp_from_ns(times_.high + 1));
      if (row_ < end_) return;
    }
  }
  const trace::Trace& trace_;
  Interval times_;
  std::size_t track_ = 0, tracks_end_ = 0;
  std::uint64_t row_ = 0, end_ = 0;
  std::int64_t number_ = 0;
  // reads the samples of the track; mutable, because reading changes which block of samples it keeps in
  // memory
  mutable std::optional<trace::CounterReader> samples_;
};

// ---- instant ---------------------------------------------------------------------------------------------

using trace::Instant;
constexpr auto kInstantLayout =
    layout_of<Instant>(kColumnOf<&Instant::at>, kColumnOf<&Instant::name>, kColumnOf<&Instant::track>,
                       kColumnOf<&Instant::op>, kColumnOf<&Instant::args>);
constexpr int kInstantTs = kInstantLayout.at("ts");

class InstantRows final : public Rows {
 public:
  explicit InstantRows(const TraceTables& of) : trace_(of.trace()), instants_(trace_.instants()) {}
  void start(const Wanted& wanted) override {
    const Interval times = wanted.of(kInstantTs);
    at_ = trace_.first_instant_from(timestamp_from_ns(times.low));
    end_ = times.high == INT64_MAX ? trace_.instant_count()
                                   : trace_.first_instant_from(timestamp_from_ns(times.high + 1));
  }
  [[nodiscard]] bool done() const override { return at_ >= end_; }
  void next() override { ++at_; }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(at_); }
  void column(int column, Value& value) const override {
    kInstantLayout.put(instants_.instant(at_), trace_, column, value);
  }

 private:
  const trace::Trace& trace_;
  // mutable, because reading changes which block of instants it keeps in memory
  mutable trace::InstantReader instants_;
  std::uint64_t at_ = 0, end_ = 0;
};

}  // namespace

void add_sample_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const trace::TraceCounts counts = of.trace().counts();
  const auto samples = static_cast<double>(counts.counter_samples);
  const double counters = std::max(static_cast<double>(counts.counters), 1.0);
  add_table_of<CounterRows>(
      of, {"counter", kCounterLayout.columns(), {{kTrack, samples / counters}, {kTs, counters}}, samples},
      out);
  add_table_of<InstantRows>(
      of, {"instant", kInstantLayout.columns(), {{kInstantTs, 1}}, static_cast<double>(counts.instants)},
      out);
}

}  // namespace runahead::query
