#include "instrumentation/export/csv.h"

#include <string>

#include "instrumentation/export/export_file.h"
#include "instrumentation/trace/labels.h"

namespace runahead::exporters {
using namespace trace;
namespace {

constexpr std::string_view kHeader = "track,depth,begin_ns,duration_ns,name,kind,op,step,bytes,flags\r\n";

class CsvExporter {
 public:
  CsvExporter(const Trace& trace, ExportFile& file, const recordings::Progress& progress)
      : trace_(trace), file_(file), pace_(file, progress, trace.counts().slices) {}

  // False when it was cancelled or cannot be written.
  bool write() {
    file_.text() += kHeader;
    for (const Track& track : trace_.tracks()) {
      if (!write_track(track)) return false;
    }
    return !file_.failed();
  }
  [[nodiscard]] std::uint64_t slices() const { return slices_; }

 private:
  bool write_track(const Track& track) {
    std::string path;
    append_csv_field(path, track_path(trace_, track.info.id));
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        write_slice(path, depth, lane.slice(row));
        if (!pace_.keep_going()) return false;
      }
    }
    for (const OpenSlice& open : trace_.open_slices()) {
      if (open.track != track.info.id) continue;
      Slice slice = open.slice;
      slice.end = std::max(slice.begin, trace_.watermark());
      slice.flags |= kSliceUnfinished;
      write_slice(path, open.depth, slice);
    }
    return true;
  }

  void write_slice(const std::string& path, std::size_t depth, const Slice& slice) {
    std::string& out = file_.text();
    out += path;
    out += ',' + std::to_string(depth) + ',' + std::to_string(ns_from(slice.begin)) + ',' +
           std::to_string(ns_from(slice.duration())) + ',';
    append_csv_field(out, trace_.string(slice.name));
    out += ',';
    out += slice_kind_key(slice.kind);
    out += ',';
    if (slice.op != kNoOp) out += std::to_string(op_number(slice.op));
    out += ',';
    const auto op = slice.op != kNoOp ? trace_.op(slice.op) : std::nullopt;
    if (op && op->step >= 0) out += std::to_string(op->step);
    out += ',' + std::to_string(slice.size_bytes) + ',' + slice_flag_keys(slice.flags) + "\r\n";
    ++slices_;
    file_.flush_if_large();
  }

  const Trace& trace_;
  ExportFile& file_;
  ExportPace pace_;
  std::uint64_t slices_ = 0;
};

}  // namespace

void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

Result<ExportCounts> export_csv(const Trace& trace, const std::filesystem::path& path,
                                const recordings::Progress& progress) {
  ExportCounts counts;
  const Status written = write_export(Destination::kTable, path, [&](ExportFile& file) {
    CsvExporter exporter(trace, file, progress);
    const bool whole = exporter.write();
    counts.slices = exporter.slices();
    return whole;
  });
  if (!written) return written.error();
  counts.left_out = left_out_of(trace, counts);
  return counts;
}

}  // namespace runahead::exporters
