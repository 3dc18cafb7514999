#include "instrumentation/export/csv.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "instrumentation/export/export_file.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/rows/row_description.h"

namespace runahead::exporters {
using namespace trace;
namespace {

// These columns come first. The columns that were added to the row description later (row_description.h)
// follow them, under their own names.
constexpr std::string_view kFirstColumns = "track,depth,begin_ns,duration_ns,name,kind,op,step,bytes,flags";
std::string header() {
  std::string out(kFirstColumns);
  for_each_column<Slice>([&](const auto& column) {
    if (column.kAdded) out += std::string(",") + column.name;
  });
  return out + "\r\n";
}

// True for a column whose number is always written. In other columns, the field is empty if the value means
// "none".
template <typename Kind>
constexpr bool kIsNumber =
    Kind::kMeaning == columns::Meaning::kBytes || Kind::kMeaning == columns::Meaning::kInteger;

class CsvExporter {
 public:
  CsvExporter(const Trace& trace, ExportFile& file, const recordings::Progress& progress)
      : trace_(trace), file_(file), pace_(file, progress, trace.counts().slices) {}

  // False: the export was cancelled or writing failed.
  bool write() {
    file_.text() += header();
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
    out += ',' + std::to_string(depth);
    field<&Slice::begin>(out, slice);
    field<&Slice::end>(out, slice);
    field<&Slice::name>(out, slice);
    field<&Slice::kind>(out, slice);
    field<&Slice::op>(out, slice);
    out += ',';
    const auto op = slice.op != kNoOp ? trace_.op(slice.op) : std::nullopt;
    if (op && op->step >= 0) out += std::to_string(op->step);
    field<&Slice::size_bytes>(out, slice);
    field<&Slice::flags>(out, slice);
    for_each_column<Slice>([&](const auto& column) {
      using Here = std::remove_cvref_t<decltype(column)>;
      if constexpr (Here::kAdded) field<Here::Kind::kMember>(out, slice);
    });
    out += "\r\n";
    ++slices_;
    file_.flush_if_large();
  }

  template <auto kMember>
  void field(std::string& out, const Slice& slice) const {
    out += ',';
    append_value<KindAt<Slice, kColumnIndex<kMember>>>(out, slice);
  }
  template <typename Kind>
  void append_value(std::string& out, const Slice& slice) const {
    using columns::Meaning;
    const auto& member = slice.*Kind::kMember;
    if constexpr (Kind::kMeaning == Meaning::kTime) {
      if (member != kNever) out += std::to_string(ns_from(member));
    } else if constexpr (Kind::kMeaning == Meaning::kString) {
      append_csv_field(out, trace_.string(member));
    } else if constexpr (Kind::kMeaning == Meaning::kEnum) {
      out += key_of(member);
    } else if constexpr (Kind::kMeaning == Meaning::kFlags) {
      out += slice_flag_keys(member);
    } else if constexpr (Kind::kMeaning == Meaning::kOp) {
      if (member != kNoOp) out += std::to_string(op_number(member));
    } else if constexpr (Kind::kMeaning == Meaning::kReal) {
      out += std::to_string(member);
    } else if (const std::int64_t value = Kind::packed(slice); value != Kind::kNull || kIsNumber<Kind>) {
      out += std::to_string(value);
    }
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
