#include <algorithm>
#include <optional>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/trace_saver.h"

namespace runahead::recordings {
using namespace trace;
namespace {

static_assert(kFileMagic == kRecordingMagic);

// A lane has one slice at a time, so the begin time identifies a slice within its lane.
bool is_continued(const RecordingPart& part, TrackId track, std::uint32_t depth, const Slice& slice) {
  if ((slice.flags & kSliceUnfinished) == 0) return false;
  for (const OpenSlice& open : part.continued) {
    if (open.track == track && open.depth == depth && open.slice.begin == slice.begin) return true;
  }
  return false;
}

// Makes a writer that writes the capture of `trace` into `temporary`.
Result<std::unique_ptr<RecordingWriter>> writer_beside(const TemporaryFile& temporary,
                                                       const std::filesystem::path& shown, const Trace& trace,
                                                       const SavedForm& form = {}) {
  std::map<std::string, std::string> metadata = trace.metadata();
  // these two entries describe the file that was read; a reader of the new file sets them again
  metadata.erase("format");
  metadata.erase("recording.ended");
  WriterOptions options;
  options.gather_time = std::chrono::hours(1);  // only the size decides when a block is written
  options.shown_path = shown;
  options.opening = form.opening;
  options.compression = form.compression;
  return RecordingWriter::create(temporary.path(), metadata, options);
}

// Computes the total progress of reading and writing several parts one after another. Reading is the first
// half of a part's progress, writing is the second half.
class PartsProgress {
 public:
  PartsProgress(const Progress& whole, std::size_t parts) : whole_(whole), parts_(parts) {}
  [[nodiscard]] Progress of_reading(std::size_t part) const {
    return [this, part](double done) { return tell(part, done / 2); };
  }
  void begin_writing(std::size_t part, std::uint64_t rows) {
    part_ = part;
    rows_ = rows;
    rows_before_ = rows_written_;
  }
  // Returns a Progress for a saver that does not know the total number of rows: such a saver reports the
  // number of rows that it has written.
  [[nodiscard]] Progress of_writing() {
    return [this](double rows) {
      rows_written_ = rows;
      const double share = (rows - rows_before_) / std::max(static_cast<double>(rows_), 1.0);
      return tell(part_, 0.5 + std::min(share, 1.0) / 2);
    };
  }

 private:
  [[nodiscard]] bool tell(std::size_t part, double done) const {
    return !whole_ || whole_((static_cast<double>(part) + done) / static_cast<double>(parts_));
  }
  const Progress& whole_;
  const std::size_t parts_;
  std::size_t part_ = 0;
  std::uint64_t rows_ = 0;
  double rows_before_ = 0, rows_written_ = 0;
};

}  // namespace

Status save_into(const TemporaryFile& temporary, const std::filesystem::path& shown, const Trace& trace,
                 const Progress& progress, const SavedForm& form) {
  Result<std::unique_ptr<RecordingWriter>> writer = writer_beside(temporary, shown, trace, form);
  if (!writer) return writer.error();
  TraceSaver saver(**writer, TraceSaver::rows_of(trace), progress);
  if (Status status = saver.add(trace); !status) return status;
  return saver.finish(trace);
}

Status save_recording(const Trace& trace, const std::filesystem::path& path, const Progress& progress) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  if (Status status = save_into(*file, path, trace, progress); !status) return status;
  return file->commit();
}

Status join_recordings(std::span<const RecordingPart> parts, const std::filesystem::path& path,
                       const LossCounts& more, const Progress& progress) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  std::unique_ptr<RecordingWriter> writer;
  std::optional<TraceSaver> saver;
  PartsProgress of_parts(progress, parts.size());
  const Progress written = of_parts.of_writing();
  for (const RecordingPart& part : parts) {
    const auto number = static_cast<std::size_t>(&part - parts.data());
    const Result<Trace> trace = load_recording(part.path, of_parts.of_reading(number));
    if (!trace) return trace.error();
    of_parts.begin_writing(number, TraceSaver::rows_of(*trace));
    if (!saver) {
      Result<std::unique_ptr<RecordingWriter>> made = writer_beside(*file, path, *trace);
      if (!made) return made.error();
      writer = std::move(*made);
      saver.emplace(*writer, 0, written);
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

}  // namespace runahead::recordings
