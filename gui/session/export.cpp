#include "gui/session/export.h"

#include <string>

#include "instrumentation/export/csv.h"
#include "instrumentation/export/perfetto_export.h"

namespace runahead::gui {
namespace {

using exporters::ExportCounts;

}  // namespace

Result<FileFormat> format_of_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string_view view = name;
  if (view.ends_with(".runahead")) return FileFormat::kRecording;
  if (view.ends_with(".json") || view.ends_with(".json.gz")) return FileFormat::kChromeJson;
  if (view.ends_with(".csv")) return FileFormat::kCsv;
  if (view.ends_with(".pftrace") || view.ends_with(".pftrace.gz")) return FileFormat::kPerfetto;
  if (view.ends_with(".html")) return FileFormat::kPage;
  return Error{"'" + path.string() +
               "': the name does not say which format: end it in .json, .json.gz, .pftrace, .csv or .html"};
}

Result<FileFormat> format_of_word(std::string_view word) {
  if (word == "chrome") return FileFormat::kChromeJson;
  if (word == "csv") return FileFormat::kCsv;
  if (word == "perfetto") return FileFormat::kPerfetto;
  if (word == "html") return FileFormat::kPage;
  return Error{"unknown format '" + std::string(word) + "': there are chrome, csv, html and perfetto"};
}

Result<ExportCounts> write_counted(const trace::Trace& trace, const std::filesystem::path& path,
                                   FileFormat format, const recordings::Progress& progress,
                                   const exporters::ExportOptions& options) {
  switch (format) {
    case FileFormat::kRecording:
    case FileFormat::kPage:
      break;  // write_trace() writes these
    case FileFormat::kCsv:
      return exporters::export_csv(trace, path, progress);
    case FileFormat::kChromeJson:
      return exporters::export_chrome_json(trace, path, progress, options);
    case FileFormat::kPerfetto:
      return exporters::export_perfetto(trace, path, progress, options);
  }
  return Error{"'" + path.string() + "': unknown format"};
}

Result<WrittenPage> write_trace_page(const trace::Trace& trace, const std::filesystem::path& path,
                                     const PageLimits& limits, const recordings::Progress& progress) {
  const PageOptions options{.title = path.stem().string(),
                            .lesson = {},
                            .range = limits.range,
                            .compared = limits.compared,
                            .most_bytes = limits.most_bytes};
  return write_page(trace, path, options, progress);
}

Status write_trace(const trace::Trace& trace, const std::filesystem::path& path, FileFormat format,
                   const recordings::Progress& progress, const exporters::ExportOptions& options) {
  if (format == FileFormat::kRecording) return recordings::save_recording(trace, path, progress);
  if (format == FileFormat::kPage) {
    const Result<WrittenPage> page = write_trace_page(trace, path, {}, progress);
    return page ? Status(Ok{}) : Status(page.error());
  }
  const Result<ExportCounts> written = write_counted(trace, path, format, progress, options);
  if (!written) return written.error();
  return Ok{};
}

}  // namespace runahead::gui
