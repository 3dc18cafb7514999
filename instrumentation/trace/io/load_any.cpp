#include <algorithm>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/trace/io/recording.h"

namespace runahead::trace::io {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";

bool looks_like_json(std::string_view start) {
  const std::size_t at = start.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (start[at] == '{' || start[at] == '[');
}

}  // namespace

Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string start((*source)->view(0, 64));
  if (start.empty()) return file_error("trace", path, "is empty");
  const std::size_t common = std::min(start.size(), kFileMagic.size());
  if (start.compare(0, common, kFileMagic, 0, common) == 0) return load_recording(path, progress);
  if (looks_like_json(start) || start.starts_with(kGzipMagic)) {
    return file_error("trace", path, "is JSON or gzip; only .runahead recordings can be opened for now");
  }
  return file_error("trace", path, "is not a trace that can be opened (.runahead recordings can)");
}

}  // namespace runahead::trace::io
