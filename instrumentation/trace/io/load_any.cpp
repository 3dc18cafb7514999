#include <algorithm>
#include <memory>
#include <optional>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/trace/io/foreign_file.h"
#include "instrumentation/trace/io/import/chrome_import.h"
#include "instrumentation/trace/io/import/inflate.h"
#include "instrumentation/trace/io/import/perfetto.h"
#include "instrumentation/trace/io/import/text_stream.h"
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

// The first bytes, through gzip. Nothing where this build cannot look into it.
std::string plain_start(ByteSource& source) {
  const std::string start(source.view(0, kStartBytes));
  if (!looks_like_gzip(start)) return start;
  std::string plain;
  if (can_inflate()) inflate_all(source, kStartBytes, plain);
  return plain;
}

// A Perfetto trace begins with a byte that is a line break to JSON; its others are not all text.
bool is_text(std::string_view start) {
  return std::ranges::all_of(start, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
}

// Of an import that says nothing, an empty timeline would look as if nothing had happened.
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

// Of a zip without a file that can be read: why.
std::string why_no_text(ByteSource& source) {
  const Result<std::unique_ptr<TextStream>> stream = open_text_stream(source);
  return stream ? "is not a trace that can be opened" : stream.error().message;
}

}  // namespace

Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress,
                       const OpenOptions& options) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("trace", path);
  if (!source) return source.error();
  const std::string start((*source)->view(0, kStartBytes));
  if (start.empty()) return file_error("trace", path, "is empty");
  if (looks_like_recording(start)) return open_recording(path, progress, options);
  if (const std::string plain = plain_start(**source); !is_text(plain) && looks_like_perfetto(plain)) {
    return if_something_is_shown(path, load_perfetto(path, progress));
  }
  if (looks_like_chrome_json(**source))
    return if_something_is_shown(path, load_chrome_json(path, **source, progress));
  if (const std::optional<std::string> what = foreign_file(path, **source))
    return file_error("trace", path, *what);
  if (looks_like_zip(start)) return file_error("trace", path, why_no_text(**source));
  if (looks_like_gzip(start) && !can_inflate()) {
    return file_error("trace", path, "is compressed; this build has no zlib: run gunzip on it first");
  }
  return file_error("trace", path,
                    "is not a trace that can be opened (.runahead recordings, Chrome trace JSON and Perfetto "
                    "traces can)");
}

}  // namespace runahead::trace::io
