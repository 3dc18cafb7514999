// The files that a trace can be written to, chosen by name or by word. Shared by the window's "Save as" and
// the command line's `export`.
#pragma once

#include <filesystem>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

enum class FileFormat { kRecording, kChromeJson, kCsv, kPerfetto };

// By the name's end: .runahead, .json, .json.gz, .csv, .pftrace, .pftrace.gz. The error names the file and
// lists the ends.
[[nodiscard]] Result<FileFormat> format_of_name(const std::filesystem::path& path);
// "chrome", "csv", "perfetto". The error names the word and lists them.
[[nodiscard]] Result<FileFormat> format_of_word(std::string_view word);

// Writes `trace` as an export; a failure leaves no half-written file. `options` are for Chrome JSON and
// Perfetto. Says which rows are in the file, and which its format has no place for. REQUIRES: no kRecording.
[[nodiscard]] Result<exporters::ExportCounts> write_counted(const trace::Trace& trace,
                                                            const std::filesystem::path& path,
                                                            FileFormat format,
                                                            const recordings::Progress& progress = {},
                                                            const exporters::ExportOptions& options = {});
[[nodiscard]] Status write_trace(const trace::Trace& trace, const std::filesystem::path& path,
                                 FileFormat format, const recordings::Progress& progress = {},
                                 const exporters::ExportOptions& options = {});

}  // namespace runahead::gui
