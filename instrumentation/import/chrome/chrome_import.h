// Chrome trace JSON in, as chrome://tracing, Perfetto, PyTorch's profiler (Kineto), VizTracer and we write
// it: plain, gzip or zip, of any size, whole or cut off. What is understood and what is counted:
// docs/import.md.
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

// An export of ours that carries its recording gives that (import/carried.h). Of all others, times count
// from the earliest row of the file; metadata()["import.first_us"] has its time there, and
// "started_at" its date, where the file says one. metadata()["format"] is "chrome json", with the
// compression. Errors: no list of events, a compression that cannot be undone, cancelled. Memory: the trace,
// 50 to 100 bytes an event until it is made, and a window of a megabyte.
Result<Trace> import_chrome_json(files::ByteSource& source, const recordings::Progress& progress = {});

// What metadata()["format"] says of one in such a container of TextStream.
[[nodiscard]] std::string chrome_json_format(std::string_view container);

// Into the trace of a file that was picked of several: its name, and how many others were left.
void say_which_file(const PickedFile& picked, Trace& trace);

// Whether `source` starts as one does, looked at through its compression.
[[nodiscard]] bool looks_like_chrome_json(files::ByteSource& source);

}  // namespace runahead::importers
