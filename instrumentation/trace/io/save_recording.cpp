#include <algorithm>
#include <utility>

#include "instrumentation/trace/io/posix_file.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::trace::io {
namespace {

constexpr std::uint64_t kRowsAtOnce = 1u << 16;

// Hands a trace to a writer as batches, definitions first.
class TraceSaver {
 public:
  TraceSaver(const Trace& trace, RecordingWriter& writer, const Progress& progress)
      : trace_(trace), writer_(writer), progress_(progress) {
    const TraceCounts counts = trace.counts();
    total_ = counts.slices + counts.counter_samples + counts.instants + counts.ops + counts.flows +
             counts.dependencies + 1;
  }
  Status save();

 private:
  Status hand_over(Batch& batch, std::uint64_t rows);
  Status save_definitions();
  Status save_track(const Track& track);
  // Hands over rows [0, n) of a table: `add` puts row i into the batch.
  template <typename Add>
  Status save_rows(std::uint64_t n, Add add);

  const Trace& trace_;
  RecordingWriter& writer_;
  const Progress& progress_;
  std::uint64_t total_ = 1, done_ = 0;
};

Status TraceSaver::hand_over(Batch& batch, std::uint64_t rows) {
  if (Status status = writer_.write(batch); !status) return status;
  batch = Batch{};
  done_ += rows;
  if (progress_ && !progress_(static_cast<double>(done_) / static_cast<double>(total_))) {
    return Error{"saving was cancelled"};
  }
  return Ok{};
}

Status TraceSaver::save_definitions() {
  Batch batch;
  for (std::uint64_t id = 1; id < trace_.string_count(); ++id) {
    batch.strings.emplace_back(trace_.string(StringId{static_cast<std::uint32_t>(id)}));
  }
  for (std::uint64_t id = 1; id <= trace_.args_count(); ++id) {
    const std::span<const Arg> set = trace_.args(ArgsId{static_cast<std::uint32_t>(id)});
    batch.args.emplace_back(set.begin(), set.end());
  }
  for (const Track& track : trace_.tracks()) batch.tracks.push_back(track.info);
  // The writer takes a first empty string for the one that every file has; ours starts behind that.
  if (!batch.strings.empty() && batch.strings.front().empty())
    batch.strings.insert(batch.strings.begin(), "");
  return hand_over(batch, 0);
}

template <typename Add>
Status TraceSaver::save_rows(std::uint64_t n, Add add) {
  Batch batch;
  std::uint64_t in_batch = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    add(batch, i);
    if (++in_batch == kRowsAtOnce || i + 1 == n) {
      if (Status status = hand_over(batch, std::exchange(in_batch, 0)); !status) return status;
    }
  }
  return Ok{};
}

Status TraceSaver::save_track(const Track& track) {
  for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
    const Lane& lane = track.lanes[depth];
    LaneReader reader(lane);
    Status status = save_rows(lane.size(), [&](Batch& batch, std::uint64_t i) {
      if (batch.lanes.empty()) batch.lanes.push_back({track.info.id, depth, {}});
      batch.lanes[0].rows.push_back(reader.slice(lane.first_row() + i));
    });
    if (!status) return status;
  }
  const CounterSeries& counter = track.counter;
  return save_rows(counter.end_row() - counter.first_row(), [&](Batch& batch, std::uint64_t i) {
    if (batch.counters.empty()) batch.counters.push_back({track.info.id, {}});
    batch.counters[0].rows.push_back(counter.sample(counter.first_row() + i));
  });
}

Status TraceSaver::save() {
  if (Status status = save_definitions(); !status) return status;
  for (const Track& track : trace_.tracks()) {
    if (Status status = save_track(track); !status) return status;
  }
  Status status = save_rows(trace_.instant_count(),
                            [&](Batch& b, std::uint64_t i) { b.instants.push_back(trace_.instant(i)); });
  if (!status) return status;
  status =
      save_rows(trace_.op_count(), [&](Batch& b, std::uint64_t i) { b.ops.push_back(trace_.op_row(i)); });
  if (!status) return status;
  status =
      save_rows(trace_.flow_count(), [&](Batch& b, std::uint64_t i) { b.flows.push_back(trace_.flow(i)); });
  if (!status) return status;
  status = save_rows(trace_.dependency_count(),
                     [&](Batch& b, std::uint64_t i) { b.dependencies.push_back(trace_.dependency(i)); });
  if (!status) return status;
  Batch last;
  last.open_slices.assign(trace_.open_slices().begin(), trace_.open_slices().end());
  last.open_ops.assign(trace_.open_ops().begin(), trace_.open_ops().end());
  last.losses = trace_.losses();
  last.watermark = trace_.watermark();
  if (status = hand_over(last, 1); !status) return status;
  return writer_.finish();
}

}  // namespace

Status save_recording(const Trace& trace, const std::filesystem::path& path, const Progress& progress) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  std::map<std::string, std::string> metadata = trace.metadata();
  metadata.erase("format");  // of the file it came from; the reader states it anew
  metadata.erase("recording.ended");
  WriterOptions options;
  options.gather_time = std::chrono::hours(1);  // only its size decides when a block is written
  options.shown_path = path;
  Result<std::unique_ptr<RecordingWriter>> writer = RecordingWriter::create(file->path(), metadata, options);
  if (!writer) return writer.error();
  if (Status status = TraceSaver(trace, **writer, progress).save(); !status) return status;
  return file->commit();
}

}  // namespace runahead::trace::io
