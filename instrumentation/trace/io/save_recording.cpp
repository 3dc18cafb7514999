#include <optional>
#include <utility>

#include "instrumentation/trace/io/posix_file.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/trace_saver.h"

namespace runahead::trace::io {
namespace {

const Progress kNoProgress;

// Each lane has one slice at a time: its begin tells which.
bool is_continued(const RecordingPart& part, TrackId track, std::uint32_t depth, const Slice& slice) {
  if ((slice.flags & kSliceUnfinished) == 0) return false;
  for (const OpenSlice& open : part.continued) {
    if (open.track == track && open.depth == depth && open.slice.begin == slice.begin) return true;
  }
  return false;
}

// A writer into `temporary`, of what was `trace`'s capture.
Result<std::unique_ptr<RecordingWriter>> writer_beside(const TemporaryFile& temporary,
                                                       const std::filesystem::path& shown,
                                                       const Trace& trace) {
  std::map<std::string, std::string> metadata = trace.metadata();
  metadata.erase("format");  // of the file it came from; the reader states it anew
  metadata.erase("recording.ended");
  WriterOptions options;
  options.gather_time = std::chrono::hours(1);  // only its size decides when a block is written
  options.shown_path = shown;
  return RecordingWriter::create(temporary.path(), metadata, options);
}

}  // namespace

Status save_recording(const Trace& trace, const std::filesystem::path& path, const Progress& progress) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  Result<std::unique_ptr<RecordingWriter>> writer = writer_beside(*file, path, trace);
  if (!writer) return writer.error();
  TraceSaver saver(**writer, TraceSaver::rows_of(trace), progress);
  if (Status status = saver.add(trace); !status) return status;
  if (Status status = saver.finish(trace); !status) return status;
  return file->commit();
}

Status join_recordings(std::span<const RecordingPart> parts, const std::filesystem::path& path,
                       const LossCounts& more) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  std::unique_ptr<RecordingWriter> writer;
  std::optional<TraceSaver> saver;
  for (const RecordingPart& part : parts) {
    const Result<Trace> trace = load_recording(part.path);
    if (!trace) return trace.error();
    if (!saver) {
      Result<std::unique_ptr<RecordingWriter>> made = writer_beside(*file, path, *trace);
      if (!made) return made.error();
      writer = std::move(*made);
      saver.emplace(*writer, 0, kNoProgress);
    }
    const auto continued = [&](TrackId track, std::uint32_t depth, const Slice& slice) {
      return is_continued(part, track, depth, slice);
    };
    if (Status status = saver->add(*trace, continued); !status) return status;
    if (&part != &parts.back()) continue;
    if (Status status = saver->finish(*trace, more); !status) return status;
  }
  return file->commit();
}

}  // namespace runahead::trace::io
