// ExportFile: writes text to a file, plain or gzip. The file has a temporary name until commit(). ExportFile
// keeps the first error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/files/stream_hash.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"

namespace runahead::exporters {
using namespace trace;

class ExportFile;

// Reports the progress of an export as it writes rows.
class ExportPace {
 public:
  // `total_rows`: the number of rows to write. `file` and `progress` must outlive this object.
  ExportPace(const ExportFile& file, const recordings::Progress& progress, std::uint64_t total_rows)
      : file_(file), progress_(progress), total_(total_rows + 1) {}
  // Call it after each row. False: the export was cancelled or writing failed. The check is made only once
  // every kRowsPerLook rows.
  [[nodiscard]] bool keep_going() { return ++done_ % kRowsPerLook != 0 || look(); }

 private:
  static constexpr std::uint64_t kRowsPerLook = 1u << 14;
  [[nodiscard]] bool look() const;

  const ExportFile& file_;
  const recordings::Progress& progress_;
  std::uint64_t total_, done_ = 0;
};

// The number and the hash of the bytes written so far, before compression.
struct ExportedBytes {
  std::uint64_t count = 0, hash = 0;
};

// The first bytes of a compressed file, decompressed, up to 64 KiB. Can be passed as an Unpack
// (base/posix_file.h).
[[nodiscard]] std::string unpacked_start(std::string_view compressed);

class ExportFile {
 public:
  // `gzip`: true to compress. Returns an error if this build has no zlib.
  [[nodiscard]] static Result<std::unique_ptr<ExportFile>> create(Destination destination,
                                                                  const std::filesystem::path& path,
                                                                  bool gzip);
  ~ExportFile();

  // The text that is not written yet. Append to it and call flush_if_large() often.
  std::string& text() { return text_; }
  void flush_if_large() {
    if (text_.size() >= kFlushBytes) flush();
  }
  // Flushes. Returns count and hash of all text so far.
  [[nodiscard]] ExportedBytes so_far() {
    flush();
    return {flushed_, hash_.value()};
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool failed() const { return !error_.empty(); }
  void fail(const Error& error);
  // Writes the rest and renames the file into place. Returns the first error, if there was one.
  [[nodiscard]] Status commit();

 private:
  static constexpr std::size_t kFlushBytes = 1u << 20;
  struct Gzip;

  ExportFile(TemporaryFile file, std::filesystem::path path);
  void flush();
  void fail_to_write(std::string_view why);

  TemporaryFile file_;
  std::filesystem::path path_;
  FileDescriptor fd_;
  std::unique_ptr<Gzip> gzip_;  // null: not compressed
  std::string text_;
  std::uint64_t flushed_ = 0;
  files::StreamHash hash_;  // hash of the flushed text
  std::string error_;
};

// Returns a Progress for one part of the work. The Progress maps the range 0..1 of this part to the range
// [from, to] of the whole work.
[[nodiscard]] recordings::Progress part_of(const recordings::Progress& whole, double from, double to);

// Returns the number of rows of `trace` that Chrome JSON and Perfetto can represent.
[[nodiscard]] std::uint64_t exported_rows(const Trace& trace);

// Writes a whole file by calling `write`, compressed if the name ends in .gz. If `write` returns false
// (cancelled, or the file failed), no file is left.
[[nodiscard]] Status write_export(Destination destination, const std::filesystem::path& path,
                                  const std::function<bool(ExportFile& file)>& write);

// Works like write_export(), but an Exporter writes the file. The Exporter is constructed as Exporter(trace,
// file, progress, embeds), and counts the rows that it writes. If `embeds` is true, the Exporter also writes
// the embedded recording.
template <typename Exporter>
[[nodiscard]] Result<ExportCounts> export_counted(Destination destination, const Trace& trace,
                                                  const std::filesystem::path& path,
                                                  const recordings::Progress& progress,
                                                  const ExportOptions& options) {
  // The events get this part of the progress, because they take most of the time.
  constexpr double kEvents = 0.8;
  const bool embeds = options.recording && recordings::recordings_supported();
  const recordings::Progress events = part_of(progress, 0, embeds ? kEvents : 1),
                             rest = part_of(progress, kEvents, 1);
  ExportCounts counts;
  const Status written = write_export(destination, path, [&](ExportFile& file) {
    Exporter exporter(trace, file, events, embeds);
    const bool whole = exporter.write() && (!embeds || exporter.write_recording(rest)) && exporter.end();
    counts = exporter.counts();
    return whole;
  });
  if (!written) return written.error();
  counts.left_out = left_out_of(trace, counts);
  counts.carries_recording = embeds;
  return counts;
}

}  // namespace runahead::exporters
