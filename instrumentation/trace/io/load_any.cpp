#include <algorithm>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/trace/io/import/inflate.h"
#include "instrumentation/trace/io/import/perfetto.h"
#include "instrumentation/trace/io/recording.h"

namespace runahead::trace::io {
namespace {

constexpr std::size_t kStartBytes = 64;

bool looks_like_json(std::string_view start) {
  const std::size_t at = start.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (start[at] == '{' || start[at] == '[');
}

}  // namespace

Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string start((*source)->view(0, kStartBytes));
  if (start.empty()) return file_error("trace", path, "is empty");
  const std::size_t common = std::min(start.size(), kFileMagic.size());
  if (start.compare(0, common, kFileMagic, 0, common) == 0) return load_recording(path, progress);
  if (looks_like_gzip(start) && !can_inflate())
    return file_error("trace", path, "is compressed; this build has no zlib: run gunzip on it first");
  std::string plain = start;
  if (looks_like_gzip(start)) {
    plain.clear();
    inflate_all(**source, kStartBytes, plain);
  }
  if (!looks_like_json(plain) && looks_like_perfetto(plain)) return load_perfetto(path, progress);
  if (looks_like_json(plain)) {
    return file_error("trace", path,
                      "is JSON; recordings (.runahead) and Perfetto traces can be opened for now");
  }
  return file_error("trace", path,
                    "is not a trace that can be opened (recordings (.runahead) and Perfetto traces can)");
}

}  // namespace runahead::trace::io
