#include <algorithm>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/trace/io/import/chrome_import.h"
#include "instrumentation/trace/io/recording.h"

namespace runahead::trace::io {
namespace {

Result<Trace> load_chrome_json(const std::filesystem::path& path, ByteSource& source,
                               const Progress& progress) {
  Result<Trace> trace = import_chrome_json(source, progress);
  if (!trace) return file_error("trace", path, trace.error().message);
  return trace;
}

}  // namespace

Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string start((*source)->view(0, 64));
  if (start.empty()) return file_error("trace", path, "is empty");
  const std::size_t common = std::min(start.size(), kFileMagic.size());
  if (start.compare(0, common, kFileMagic, 0, common) == 0) return load_recording(path, progress);
  if (looks_like_chrome_json(**source)) return load_chrome_json(path, **source, progress);
  return file_error("trace", path,
                    "is not a trace that can be opened (.runahead recordings and Chrome trace JSON can)");
}

}  // namespace runahead::trace::io
