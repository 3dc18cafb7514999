// Import of Chrome trace JSON, as written by chrome://tracing, Perfetto, PyTorch's profiler (Kineto),
// VizTracer and our own export. The file may be plain, gzip or zip, of any size, complete or cut off.
// docs/import.md lists which events are understood and which are counted as skipped.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/import/chrome/text_stream.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// If the file is our export with an embedded recording, the result is that recording
// (import/common/embedded.h). For all other files, time 0 is the time of the earliest row.
// metadata()["import.first_us"] is the time of that row in the file. "started_at" is the date of that row if
// the file states a date. metadata()["format"] is "chrome json" plus the compression. Errors: the text has no
// list of events, this build cannot read the compression, or the import was cancelled. Memory: the trace, 50
// to 100 bytes for each event until the trace is built, and a window of 1 MB for reading the file.
Result<Trace> import_chrome_json(files::ByteSource& source, const recordings::Progress& progress = {});

// Returns the value of metadata()["format"]. `container` says how the file is packed
// (TextStream::container()).
[[nodiscard]] std::string chrome_json_format(std::string_view container);

// If the trace comes from a zip, stores in the trace's metadata which file of the zip was read. Counts the
// other traces in the zip as losses (kImportFiles).
void say_which_file(const PickedFile& picked, Trace& trace);

// True if `source` starts like Chrome trace JSON. Compressed files are examined too.
[[nodiscard]] bool looks_like_chrome_json(files::ByteSource& source);

}  // namespace runahead::importers
