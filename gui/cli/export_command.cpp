// `runahead export`: writes a trace in another tool's format.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/session/export.h"
#include "instrumentation/base/format.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

struct ExportCommand {
  std::string file, out, format;
  bool events_only = false;
};

Result<FileFormat> chosen_format(const ExportCommand& command) {
  if (!command.format.empty()) return format_of_word(command.format);
  Result<FileFormat> format = format_of_name(command.out);
  if (format && *format == FileFormat::kRecording) {
    return Error{
        "'" + command.out +
        "': export writes other tools' formats and pages; end it in .json, .json.gz, .pftrace, .csv or "
        ".html"};
  }
  return format;
}

// Returns a text such as "12 slices, 3 instants, 40 counter samples, 5 flows". If the format cannot represent
// some rows as events, the text also has the number of such rows for each kind of row.
std::string written_words(const exporters::ExportCounts& counts) {
  const auto rows = [](std::uint64_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what);
  };
  std::string words = rows(counts.slices, "slices, ") + rows(counts.instants, "instants, ") +
                      rows(counts.counter_samples, "counter samples, ") + rows(counts.flows, "flows");
  const exporters::ExportCounts::LeftOut& left = counts.left_out;
  std::string rest;
  for (const auto& [count, what] : {std::pair{left.instants, "instants"},
                                    {left.counter_samples, "counter samples"},
                                    {left.flows, "flows"},
                                    {left.ops, "ops"},
                                    {left.dependencies, "dependencies"},
                                    {left.allocations, "allocations"}}) {
    if (count != 0) rest += (rest.empty() ? "" : ", ") + rows(count, what);
  }
  if (rest.empty()) return words;
  return words +
         (counts.carries_recording ? "; only in the embedded recording: "
                                   : "; left out, since the format cannot represent them: ") +
         rest;
}

// Returns a text such as "2.31 MB; open it in a browser".
std::string page_words(const std::string& path) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  return format_bytes(code ? 0 : static_cast<double>(bytes)) + "; open it in a browser";
}

Outcome export_trace(const ExportCommand& command) {
  const Result<FileFormat> format = chosen_format(command);
  if (!format) return wrong_words(format.error());
  if (command.events_only && *format == FileFormat::kCsv) {
    return wrong_words(
        Error{"--events-only is for Chrome JSON and Perfetto: CSV has slices and nothing else"});
  }
  if (command.events_only && *format == FileFormat::kPage)
    return wrong_words(Error{"--events-only is for Chrome JSON and Perfetto: a page shows the recording"});
  std::error_code ignored;
  if (std::filesystem::equivalent(command.file, command.out, ignored)) {
    return refused("'" + command.out + "' is the trace itself: give another name after -o");
  }
  const InterruptNote note;
  const recordings::Progress progress = until_interrupted(note);
  const Result<trace::Trace> trace = importers::load_checked(command.file, progress);
  if (note.signal() != 0) return not_written(note, command.out);
  if (!trace) return refused(trace.error());
  if (*format == FileFormat::kPage) {
    const Status written = write_trace(*trace, command.out, *format, progress);
    if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
    warn_of_losses(command.file, *trace);
    return write_stdout("wrote " + command.out + ": " + page_words(command.out) + "\n");
  }
  const exporters::ExportOptions options{.recording = !command.events_only};
  const auto written = write_counted(*trace, command.out, *format, progress, options);
  if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
  warn_of_losses(command.file, *trace);
  return write_stdout("wrote " + command.out + ": " + written_words(*written) + "\n");
}

}  // namespace

void add_export_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "export",
      "Write a trace for another tool (Chrome JSON, Perfetto, CSV), or as a page for a browser (HTML)");
  auto export_command = std::make_shared<ExportCommand>();
  command->add_option("file", export_command->file, "A trace")->required();
  command->add_option("-o,--output", export_command->out, "The file to write")->required();
  command->add_option(
      "--format", export_command->format,
      "chrome (.json, .json.gz), csv (.csv), html (.html) or perfetto (.pftrace); default: by extension");
  command->add_flag(
      "--events-only", export_command->events_only,
      "Do not embed the recording in Chrome JSON and Perfetto: the file is smaller, but lacks the rows "
      "that these formats cannot represent if you open it here again");
  command->callback([=, &chosen] { chosen = [=] { return export_trace(*export_command); }; });
}

}  // namespace runahead::gui
