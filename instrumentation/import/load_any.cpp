#include "instrumentation/import/load_any.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/files/inflate.h"
#include "instrumentation/import/foreign_file.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::importers {

// A new importer needs two lines: one here, and one in kImporters below.
extern const Importer kPerfettoImporter;
extern const Importer kChromeImporter;
extern const Importer kSqliteImporter;

namespace {

// If the first bytes of a recording are damaged, the recording is still recognised by the header of its first
// block.
bool looks_like_recording(const FileStart& start, files::ByteSource&) {
  const std::string_view magic = recordings::kFileMagic;
  const std::size_t common = std::min(start.bytes.size(), magic.size());
  if (start.bytes.substr(0, common) == magic.substr(0, common)) return true;
  return start.bytes.size() >= recordings::kPreambleBytes + recordings::kBlockHeaderBytes &&
         recordings::parse_block_header(start.bytes.substr(recordings::kPreambleBytes)).has_value();
}
Result<Trace> load_recording(const std::filesystem::path& path, files::ByteSource&,
                             const recordings::Progress& progress, const recordings::OpenOptions& options) {
  return recordings::open_recording(path, progress, options);
}
constexpr Importer kRecordingImporter{.formats = ".runahead recordings",
                                      .sniff = looks_like_recording,
                                      .load = load_recording,
                                      .refuses_empty = false};

constexpr std::array kImporters{&kRecordingImporter, &kSqliteImporter, &kPerfettoImporter, &kChromeImporter};

// Returns "is not a trace that can be opened (A, B and C can)".
std::string unknown_format() {
  std::string names;
  for (std::size_t i = 0; i < kImporters.size(); ++i) {
    if (i > 0) names += i + 1 == kImporters.size() ? " and " : ", ";
    names += kImporters[i]->formats;
  }
  return "is not a trace that can be opened (" + names + " can)";
}

// A file, and the importer that opens it.
struct Openable {
  std::unique_ptr<files::FileSource> source;
  const Importer* importer = nullptr;
};

Result<Openable> find_importer(const std::filesystem::path& path) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string bytes((*source)->view(0, kSniffedBytes));
  if (bytes.empty()) return file_error("trace", path, "is empty");
  const std::string plain = files::plain_start(**source, kSniffedBytes);
  for (const Importer* const importer : kImporters) {
    if (importer->sniff({bytes, plain}, **source)) return Openable{std::move(*source), importer};
  }
  if (const std::optional<std::string> what = foreign_file(path)) return file_error("trace", path, *what);
  if (files::looks_like_gzip(bytes) && !files::can_inflate()) {
    return file_error("trace", path, "is compressed; this build has no zlib: run gunzip on it first");
  }
  return file_error("trace", path, unknown_format());
}

}  // namespace

std::span<const Importer* const> importers() { return kImporters; }

Result<Trace> load_any(const std::filesystem::path& path, const recordings::Progress& progress,
                       const recordings::OpenOptions& options) {
  const Result<Openable> found = find_importer(path);
  if (!found) return found.error();
  Result<Trace> trace = found->importer->load(path, *found->source, progress, options);
  if (!trace || !found->importer->refuses_empty) return trace;
  if (const Status shown = check_something_is_shown(*trace); !shown)
    return file_error("trace", path, shown.error().message);
  return trace;
}

Status check_openable(const std::filesystem::path& path) {
  const Result<Openable> found = find_importer(path);
  if (!found) return found.error();
  return Ok{};
}

}  // namespace runahead::importers
