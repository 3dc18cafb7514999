// The importer of Perfetto traces, in every build: without protozero, load_perfetto() says that it is
// missing.
#include <algorithm>

#include "instrumentation/import/common/importer.h"
#include "instrumentation/import/perfetto/perfetto_import.h"

namespace runahead::importers {
using namespace trace;
namespace {

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

}  // namespace

extern const Importer kPerfettoImporter;
constexpr Importer kPerfettoImporter{
    .formats = "Perfetto traces", .sniff = sniff_perfetto, .load = load_perfetto_file};

}  // namespace runahead::importers
