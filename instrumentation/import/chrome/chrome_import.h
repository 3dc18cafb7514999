// Import of Chrome trace JSON, as written by chrome://tracing, Perfetto, PyTorch's profiler (Kineto),
// VizTracer and our own export. Plain, gzip or zip; any size; whole or cut off. docs/import.md lists which
// events are understood and which are counted as skipped.
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

// An export of ours with an embedded recording gives that recording (import/common/embedded.h). For all other
// files times count from the earliest row. metadata()["import.first_us"] has the file's time of that row.
// "started_at" has its date if the file states one. metadata()["format"] is "chrome json" with the
// compression. Errors: no list of events, a compression that this build cannot undo, cancelled. Memory: the
// trace, 50 to 100 bytes per event until it is built, and a window of 1 MB.
Result<Trace> import_chrome_json(files::ByteSource& source, const recordings::Progress& progress = {});

// The text of metadata()["format"] for a container of TextStream.
[[nodiscard]] std::string chrome_json_format(std::string_view container);

// Adds to the trace's metadata which file of several was read, and how many others were not.
void say_which_file(const PickedFile& picked, Trace& trace);

// True if `source` starts like Chrome trace JSON. Compressed files are examined too.
[[nodiscard]] bool looks_like_chrome_json(files::ByteSource& source);

}  // namespace runahead::importers
