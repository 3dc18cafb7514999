// ExportFile: text on its way to a file, plain or gzip, through a temporary name. The first error sticks.
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

// How an export fares as it writes row after row.
class ExportPace {
 public:
  // Of `total_rows`. Both references must outlive this.
  ExportPace(const ExportFile& file, const recordings::Progress& progress, std::uint64_t total_rows)
      : file_(file), progress_(progress), total_(total_rows + 1) {}
  // After each row. False: it was cancelled or cannot be written; asked for now and then only.
  [[nodiscard]] bool keep_going() { return ++done_ % kRowsPerLook != 0 || look(); }

 private:
  static constexpr std::uint64_t kRowsPerLook = 1u << 14;
  [[nodiscard]] bool look() const;

  const ExportFile& file_;
  const recordings::Progress& progress_;
  std::uint64_t total_, done_ = 0;
};

// What a file holds up to some place, before compression.
struct ExportedBytes {
  std::uint64_t count = 0, hash = 0;
};

// What a compressed file begins with, as base's Unpack: up to 64 KiB of it.
[[nodiscard]] std::string unpacked_start(std::string_view compressed);

class ExportFile {
 public:
  // gzip: compressed; an error where this build has no zlib.
  [[nodiscard]] static Result<std::unique_ptr<ExportFile>> create(Destination destination,
                                                                  const std::filesystem::path& path,
                                                                  bool gzip);
  ~ExportFile();

  // The text not written yet: append to it, and call flush_if_large() now and then.
  std::string& text() { return text_; }
  void flush_if_large() {
    if (text_.size() >= kFlushBytes) flush();
  }
  // All text up to here.
  [[nodiscard]] ExportedBytes so_far() {
    flush();
    return {flushed_, hash_.value()};
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool failed() const { return !error_.empty(); }
  void fail(const Error& error);
  // Writes the rest and puts the file in place; the first error of all, if there was one.
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
  std::unique_ptr<Gzip> gzip_;  // null: plain
  std::string text_;
  std::uint64_t flushed_ = 0;
  files::StreamHash hash_;  // of what was flushed
  std::string error_;
};

// The part [from, to] of the whole work, for who tells of that part alone.
[[nodiscard]] recordings::Progress part_of(const recordings::Progress& whole, double from, double to);

// Rows that Chrome JSON and Perfetto have a place for.
[[nodiscard]] std::uint64_t exported_rows(const Trace& trace);

// Writes a whole file (compressed, if its name ends in .gz) by `write`, which returns false where it was
// cancelled or the file failed; nothing is left of it then.
[[nodiscard]] Status write_export(Destination destination, const std::filesystem::path& path,
                                  const std::function<bool(ExportFile& file)>& write);

// The same by an Exporter(trace, file, progress, carries), which counts the rows that it writes, and writes
// the recording behind them where it `carries` one.
template <typename Exporter>
[[nodiscard]] Result<ExportCounts> export_counted(Destination destination, const Trace& trace,
                                                  const std::filesystem::path& path,
                                                  const recordings::Progress& progress,
                                                  const ExportOptions& options) {
  // The events take most of the time.
  constexpr double kEvents = 0.8;
  const bool carries = options.recording && recordings::recordings_supported();
  const recordings::Progress events = part_of(progress, 0, carries ? kEvents : 1),
                             rest = part_of(progress, kEvents, 1);
  ExportCounts counts;
  const Status written = write_export(destination, path, [&](ExportFile& file) {
    Exporter exporter(trace, file, events, carries);
    const bool whole = exporter.write() && (!carries || exporter.write_recording(rest)) && exporter.end();
    counts = exporter.counts();
    return whole;
  });
  if (!written) return written.error();
  counts.left_out = left_out_of(trace, counts);
  counts.carries_recording = carries;
  return counts;
}

}  // namespace runahead::exporters
