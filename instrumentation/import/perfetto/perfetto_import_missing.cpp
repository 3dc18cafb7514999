// Perfetto import in a build without protozero: returns an error that says so.
#include <algorithm>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/import/perfetto/perfetto_import.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::string_view kWhy =
    "cannot be read by this build if it is a Perfetto trace; install libprotozero-dev and build again";

}  // namespace

// The first byte of a trace is the tag of a packet: field 1, bytes. This is enough to recognise the format
// for the error message.
bool looks_like_perfetto(std::string_view start) { return start.starts_with('\x0a'); }

Result<Trace> load_perfetto(const std::filesystem::path& path, const recordings::Progress&) {
  return file_error("trace", path, kWhy);
}
Result<Trace> read_perfetto(std::span<const std::byte>, const std::string& name) {
  return file_error("trace", name, kWhy);
}

// The first byte of a Perfetto trace is a line break, and a JSON file may begin with one too. But a Perfetto
// trace also has bytes that are not text, so a file that begins with only text is refused here.
bool sniff_perfetto(const FileStart& start, files::ByteSource&) {
  const bool text = std::ranges::all_of(start.plain, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
  return !text && looks_like_perfetto(start.plain);
}
Result<Trace> load_perfetto_file(const std::filesystem::path& path, files::ByteSource&,
                                 const recordings::Progress& progress, const recordings::OpenOptions&) {
  return load_perfetto(path, progress);
}
extern const Importer kPerfettoImporter;
constexpr Importer kPerfettoImporter{
    .formats = "Perfetto traces", .sniff = sniff_perfetto, .load = load_perfetto_file};

}  // namespace runahead::importers
