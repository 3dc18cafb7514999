// The file formats for writing a trace. A file name or a word ("chrome") selects the format. Shared by the
// window's "Save as" and the command line's `export`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "gui/web/page.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

enum class FileFormat { kRecording, kChromeJson, kCsv, kPerfetto, kPage };

// Returns the format for a file name. The extension decides: .runahead, .json, .json.gz, .csv, .pftrace,
// .pftrace.gz, .html. The error names the file and lists the extensions.
[[nodiscard]] Result<FileFormat> format_of_name(const std::filesystem::path& path);
// Returns the format that "chrome", "csv", "html" or "perfetto" names. The error names the word and lists the
// valid words.
[[nodiscard]] Result<FileFormat> format_of_word(std::string_view word);

// Writes `trace` as an export. If writing fails, no incomplete file is left. `options` apply to Chrome JSON
// and Perfetto. Returns the number of rows written, and of rows that the format cannot represent. REQUIRES:
// format is neither kRecording nor kPage.
[[nodiscard]] Result<exporters::ExportCounts> write_counted(const trace::Trace& trace,
                                                            const std::filesystem::path& path,
                                                            FileFormat format,
                                                            const recordings::Progress& progress = {},
                                                            const exporters::ExportOptions& options = {});
// Writes a page (gui/web/page.h) of a part of the trace, of a limited size, or with a comparison.
struct PageLimits {
  std::optional<TimeRange> range;
  std::uint64_t most_bytes = 0;              // 0: no limit
  std::optional<PageComparison> compared{};  // the page has it too; not with `range`
};
[[nodiscard]] Result<WrittenPage> write_trace_page(const trace::Trace& trace,
                                                   const std::filesystem::path& path,
                                                   const PageLimits& limits,
                                                   const recordings::Progress& progress = {});
// Writes `trace` in any format. A page (gui/web/page.h) has the name of its file as its title.
[[nodiscard]] Status write_trace(const trace::Trace& trace, const std::filesystem::path& path,
                                 FileFormat format, const recordings::Progress& progress = {},
                                 const exporters::ExportOptions& options = {});

}  // namespace runahead::gui
