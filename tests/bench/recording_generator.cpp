#include "tests/bench/recording_generator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/record/hooks/site.h"
#include "instrumentation/recording/recording.h"

namespace runahead::bench {
namespace {

using record::Site;
using record::Zone;
using trace::SliceKind;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr int kSlicesPerTurn = 1000;
// The largest number of events, of all threads together, that may wait for the collector. A slice has two
// events. At this number, the threads wait until the collector has drained some events.
constexpr std::uint64_t kMostWaiting = 2'000'000;

constexpr std::array<Site, 12> kSites{{{"matmul", SliceKind::kExecute, __FILE__, 1},
                                       {"softmax", SliceKind::kExecute, __FILE__, 2},
                                       {"layer norm", SliceKind::kExecute, __FILE__, 3},
                                       {"copy to device", SliceKind::kCopyToDevice, __FILE__, 4},
                                       {"copy to host", SliceKind::kCopyToHost, __FILE__, 5},
                                       {"wait for tokens", SliceKind::kWait, __FILE__, 6},
                                       {"allocate", SliceKind::kAllocation, __FILE__, 7},
                                       {"parse", SliceKind::kZone, __FILE__, 8},
                                       {"hash", SliceKind::kZone, __FILE__, 9},
                                       {"lookup", SliceKind::kZone, __FILE__, 10},
                                       {"insert", SliceKind::kZone, __FILE__, 11},
                                       {"step", SliceKind::kStep, __FILE__, 12}}};

class Worker {
 public:
  Worker(int number, std::uint64_t slices) : left_(slices), random_(static_cast<std::uint64_t>(number) + 1) {
    thread_ = std::jthread([this, number] { work(number); });
  }
  ~Worker() {
    left_ = 0;
    turn_.release();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Records some slices. Returns false if the worker has recorded all its slices.
  bool take_turn() {
    turn_.release();
    done_.acquire();
    return left_ > 0;
  }

 private:
  void work(int number) {
    record::name_thread(trace::TrackKind::kWorker, "worker " + std::to_string(number), number);
    for (turn_.acquire(); left_ > 0; turn_.acquire()) {
      for (int i = 0; i < kSlicesPerTurn && left_ > 0;) i += nest(0);
      done_.release();
    }
  }
  std::uint32_t advance() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(random_ >> 33);
  }
  // Records a zone with up to three zones in it, recursively. Returns the number of slices.
  int nest(int depth) {
    if (left_ == 0) return 0;
    --left_;
    const std::uint32_t draw = advance();
    const Zone zone(kSites[draw % kSites.size()]);
    int slices = 1;
    if (depth < 3) {
      for (std::uint32_t inner = draw / 16 % 4; inner > 0; --inner) slices += nest(depth + 1);
    }
    for (std::uint32_t busy = draw / 64 % 64; busy > 0; --busy) advance();
    return slices;
  }

  // The number of slices still to record. The worker's thread uses this number during its turn. At other
  // times the thread that calls take_turn() uses it.
  std::uint64_t left_;
  std::uint64_t random_;
  std::binary_semaphore turn_{0}, done_{0};
  std::jthread thread_;  // the last member: it is joined before the others are destroyed
};

void record_all(const GeneratedRecording& wanted, const record::Recorder& recorder,
                record::Collector& collector) {
  std::vector<std::unique_ptr<Worker>> workers;
  const auto tracks = static_cast<std::uint64_t>(wanted.tracks);
  for (std::uint64_t i = 0; i < tracks; ++i) {
    const std::uint64_t share = wanted.slices / tracks + (i < wanted.slices % tracks ? 1 : 0);
    if (share > 0) workers.push_back(std::make_unique<Worker>(static_cast<int>(i), share));
  }
  std::vector<Worker*> working;
  for (const auto& worker : workers) working.push_back(worker.get());
  while (!working.empty()) {
    std::erase_if(working, [&](Worker* worker) {
      if (recorder.stats().events - collector.stats().events > kMostWaiting) collector.flush();
      return !worker->take_turn();
    });
  }
}

// Makes batches as a collector does: up to 500 samples of each counter (a random walk), and up to 500
// instants.
class SampleSource {
 public:
  explicit SampleSource(int counters) : values_(static_cast<std::size_t>(counters)) {}

  // Returns the next batch. `samples` and `instants` are the numbers of rows that are still to be written.
  // next() subtracts the rows of the returned batch from these numbers.
  trace::Batch next(std::uint64_t& samples, std::uint64_t& instants) {
    trace::Batch batch;
    if (std::exchange(first_, false)) define(batch);
    const Timestamp begin = now_;
    for (std::size_t c = 0; c < values_.size() && samples > 0; ++c) {
      trace::CounterRows rows{TrackId{static_cast<std::uint32_t>(c)}, {}};
      now_ = begin;
      for (int i = 0; i < kAtOnce && samples > 0; ++i, --samples) {
        values_[c] += static_cast<double>(advance() % 4097) - 2048;
        rows.rows.push_back({now_ += Duration{advance() % 20'000}, values_[c]});
      }
      latest_ = std::max(latest_, now_);
      batch.counters.push_back(std::move(rows));
    }
    now_ = begin;
    for (int i = 0; i < kAtOnce && instants > 0; ++i, --instants) {
      const std::uint32_t draw = advance();
      batch.instants.push_back(
          {now_ += Duration{draw % 20'000}, TrackId{static_cast<std::uint32_t>(values_.size())},
           StringId{1 + draw % static_cast<std::uint32_t>(kSites.size())}, kNoOp, kNoArgs});
    }
    now_ = batch.watermark = std::max(latest_, now_);
    return batch;
  }

 private:
  static constexpr int kAtOnce = 500;
  void define(trace::Batch& batch) const {
    batch.strings.emplace_back();
    for (const Site& site : kSites) batch.strings.emplace_back(site.name);
    const auto counters = static_cast<std::uint32_t>(values_.size());
    for (std::uint32_t c = 0; c < counters; ++c)
      batch.tracks.push_back(
          {.id = TrackId{c}, .kind = trace::TrackKind::kCounter, .name = "counter " + std::to_string(c)});
    batch.tracks.push_back({.id = TrackId{counters}, .kind = trace::TrackKind::kWorker, .name = "worker"});
  }
  std::uint32_t advance() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(random_ >> 33);
  }

  bool first_ = true;
  std::vector<double> values_;
  Timestamp now_{}, latest_{};
  std::uint64_t random_ = 1;
};

// Writes the instant with the latest time first. Then writes the other instants in runs (a run is sorted by
// time), the run with the latest times first. Each run is therefore late: its times are before all times that
// the file already has.
Status write_late(const GeneratedSamples& wanted, recordings::RecordingWriter& writer) {
  constexpr std::uint64_t kAtOnce = 10'000;
  const auto at = [](std::uint64_t i) { return timestamp_from_ns(static_cast<std::int64_t>(10'000 * i)); };
  trace::Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back({.id = TrackId{0}, .kind = trace::TrackKind::kWorker, .name = "worker"});
  batch.instants.push_back({at(wanted.instants), TrackId{0}, StringId{1}, kNoOp, kNoArgs});
  batch.watermark = at(wanted.instants + 1);
  if (Status status = writer.write(batch); !status) return status;
  if (Status status = writer.flush(); !status) return status;
  for (std::uint64_t run = wanted.late_runs; run > 0; --run) {
    const std::uint64_t end = wanted.instants * run / wanted.late_runs;
    for (std::uint64_t i = wanted.instants * (run - 1) / wanted.late_runs; i < end;) {
      batch.strings.clear();
      batch.tracks.clear();
      batch.instants.clear();
      for (const std::uint64_t stop = std::min(end, i + kAtOnce); i < stop; ++i)
        batch.instants.push_back({at(i), TrackId{0}, StringId{1}, OpId{i}, kNoArgs});
      if (Status status = writer.write(batch); !status) return status;
    }
    if (Status status = writer.flush(); !status) return status;
  }
  return Ok{};
}

}  // namespace

Result<Generated> generate_recording(const GeneratedRecording& wanted, const std::filesystem::path& path) {
  const auto begin = Clock::now();
  record::Recorder recorder(
      {.events_per_thread = std::size_t{1} << 23, .total_bytes = std::size_t{512} << 20});
  record::Collector collector(recorder, {.to_owner = false, .sample_rss = false});
  if (Status status = collector.start_file(path, {{"workload", "generated"}}); !status) return status.error();
  recorder.start();
  record_all(wanted, recorder, collector);
  recorder.stop();
  const auto ending = Clock::now();
  if (Status status = collector.stop_file(); !status) return status.error();
  Generated out;
  out.ending_seconds = seconds_since(ending);
  const record::Collector::Stats stats = collector.stats();
  out.slices = stats.slices;
  out.lost = recorder.stats().lost;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    out.lost += stats.losses.of(static_cast<trace::LossCause>(i));
  }
  out.bytes = std::filesystem::file_size(path);
  out.seconds = seconds_since(begin);
  return out;
}

namespace {

// `write` writes the rows. Returns the size of the file and the times.
template <class Write>
Result<Generated> write_recording(const char* workload, const std::filesystem::path& path,
                                  const Write& write) {
  const auto begin = Clock::now();
  auto writer = recordings::RecordingWriter::create(path, {{"workload", workload}});
  if (!writer) return writer.error();
  if (Status status = write(**writer); !status) return status.error();
  const auto ending = Clock::now();
  if (Status status = (*writer)->finish(); !status) return status.error();
  return Generated{.bytes = std::filesystem::file_size(path),
                   .seconds = seconds_since(begin),
                   .ending_seconds = seconds_since(ending)};
}

}  // namespace

Result<Generated> generate_samples(const GeneratedSamples& wanted, const std::filesystem::path& path) {
  return write_recording("generated samples", path, [&](recordings::RecordingWriter& writer) -> Status {
    if (wanted.late_runs > 0) return write_late(wanted, writer);
    SampleSource source(wanted.counters);
    std::uint64_t samples = wanted.samples, instants = wanted.instants;
    do {
      if (Status status = writer.write(source.next(samples, instants)); !status) return status;
    } while (samples > 0 || instants > 0);
    return Ok{};
  });
}

Result<Generated> generate_launches(const LaunchTrace& wanted, const std::filesystem::path& path) {
  std::uint64_t slices = 0;
  const auto write = [&](recordings::RecordingWriter& writer) -> Status {
    LaunchTraceSource source(wanted);
    while (!source.ended()) {
      const trace::Batch batch = source.next();
      for (const auto& lane : batch.lanes) slices += lane.rows.size();
      if (Status status = writer.write(batch); !status) return status;
    }
    return Ok{};
  };
  Result<Generated> made = write_recording("generated launches", path, write);
  if (made) made->slices = slices;
  return made;
}

}  // namespace runahead::bench
