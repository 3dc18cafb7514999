// `runahead export`: a trace in another tool's format.
#include <CLI/CLI.hpp>
#include <memory>

#include "gui/cli/commands.h"
#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/session/export.h"
#include "instrumentation/trace/io/recording.h"

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
    return Error{"'" + command.out +
                 "': export writes other tools' formats; end it in .json, .json.gz, .pftrace or .csv"};
  }
  return format;
}

Outcome export_trace(const ExportCommand& command) {
  const Result<FileFormat> format = chosen_format(command);
  if (!format) return wrong_words(format.error());
  if (command.events_only && *format == FileFormat::kCsv) {
    return wrong_words(
        Error{"--events-only is for Chrome JSON and Perfetto: CSV has slices and nothing else"});
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(command.file, command.out, ignored)) {
    return refused("'" + command.out + "' is the trace itself: give another name after -o");
  }
  const InterruptNote note;
  const trace::io::Progress progress = until_interrupted(note);
  const Result<trace::Trace> trace = trace::io::load_any(command.file, progress);
  if (note.signal() != 0) return not_written(note, command.out);
  if (!trace) return refused(trace.error());
  const trace::io::ExportOptions options{.recording = !command.events_only};
  if (const Status written = write_trace(*trace, command.out, *format, progress, options); !written)
    return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
  warn_of_losses(command.file, *trace);
  const trace::TraceCounts counts = trace->counts();
  return write_stdout("wrote " + command.out + ": " + std::to_string(counts.slices) + " slices, " +
                      std::to_string(counts.counter_samples) + " counter samples, " +
                      std::to_string(counts.flows) + " flows\n");
}

}  // namespace

void add_export_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("export", "Write a trace for another tool: Chrome JSON, Perfetto or CSV");
  auto export_command = std::make_shared<ExportCommand>();
  command->add_option("file", export_command->file, "A trace")->required();
  command->add_option("-o,--output", export_command->out, "The file to write")->required();
  command->add_option("--format", export_command->format,
                      "chrome (.json, .json.gz), csv (.csv) or perfetto (.pftrace); by the name without it");
  command->add_flag("--events-only", export_command->events_only,
                    "Without the recording that Chrome JSON and Perfetto exports carry: smaller, but opened "
                    "here again it lacks what those formats have no place for");
  command->callback([=, &chosen] { chosen = [=] { return export_trace(*export_command); }; });
}

}  // namespace runahead::gui
