#include <algorithm>
#include <memory>
#include <optional>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/trace/io/foreign_file.h"
#include "instrumentation/trace/io/import/chrome_import.h"
#include "instrumentation/trace/io/import/inflate.h"
#include "instrumentation/trace/io/import/perfetto.h"
#include "instrumentation/trace/io/import/zip.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::trace::io {
namespace {

constexpr std::size_t kStartBytes = 64;

// A recording whose first bytes are damaged still has a block behind them.
bool looks_like_recording(std::string_view start) {
  const std::size_t common = std::min(start.size(), kFileMagic.size());
  if (start.substr(0, common) == kFileMagic.substr(0, common)) return true;
  return start.size() >= kPreambleBytes + kBlockHeaderBytes &&
         parse_block_header(start.substr(kPreambleBytes)).has_value();
}

// A Perfetto trace begins with a byte that is a line break to JSON; its others are not all text.
bool is_text(std::string_view start) {
  return std::ranges::all_of(start, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
}

// Refuses an import without rows: an empty timeline would look as if nothing had happened.
Result<Trace> if_something_is_shown(const std::filesystem::path& path, Result<Trace> trace) {
  if (!trace) return trace;
  if (const Status shown = check_something_is_shown(*trace); !shown)
    return file_error("trace", path, shown.error().message);
  return trace;
}

Result<Trace> load_chrome_json(const std::filesystem::path& path, ByteSource& source,
                               const Progress& progress) {
  Result<Trace> trace = import_chrome_json(source, progress);
  if (!trace) return file_error("trace", path, trace.error().message);
  return trace;
}

}  // namespace

Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress,
                       const OpenOptions& options) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string start((*source)->view(0, kStartBytes));
  if (start.empty()) return file_error("trace", path, "is empty");
  if (looks_like_recording(start)) return open_recording(path, progress, options);
  if (const std::string plain = plain_start(**source, kStartBytes);
      !is_text(plain) && looks_like_perfetto(plain)) {
    return if_something_is_shown(path, load_perfetto(path, progress));
  }
  // Of a zip that holds no such text the import says why.
  if (looks_like_zip(start) || looks_like_chrome_json(**source))
    return if_something_is_shown(path, load_chrome_json(path, **source, progress));
  if (const std::optional<std::string> what = foreign_file(path, **source))
    return file_error("trace", path, *what);
  if (looks_like_gzip(start) && !can_inflate()) {
    return file_error("trace", path, "is compressed; this build has no zlib: run gunzip on it first");
  }
  return file_error("trace", path,
                    "is not a trace that can be opened (.runahead recordings, Chrome trace JSON and Perfetto "
                    "traces can)");
}

}  // namespace runahead::trace::io
