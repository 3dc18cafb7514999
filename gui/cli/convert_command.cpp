// `runahead convert`: converts a trace of any readable format to a recording (.runahead).
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;

struct ConvertCommand {
  std::string file, out;
  bool json = false;
};

Outcome report(const ConvertCommand& command, const trace::Trace& trace, const std::string& format) {
  const trace::TraceCounts counts = trace.counts();
  if (command.json) {
    return write_json(Json{{"file", command.file},
                           {"format", format},
                           {"output", command.out},
                           {"tracks", counts.tracks},
                           {"slices", counts.slices},
                           {"instants", counts.instants},
                           {"counter_samples", counts.counter_samples},
                           {"flows", counts.flows},
                           {"complete", is_complete(trace)},
                           {"lost", losses_json(trace.losses())}});
  }
  warn_of_losses(command.file, trace);
  return write_stdout("read " + command.file + " (" + format + "), wrote " + command.out + ": " +
                      std::to_string(counts.slices) + " slices, " + std::to_string(counts.instants) +
                      " instants, " + std::to_string(counts.counter_samples) + " counter samples, " +
                      std::to_string(counts.flows) + " flows\n");
}

Outcome convert(const ConvertCommand& command) {
  if (!command.out.ends_with(".runahead")) {
    return wrong_words(
        "'" + command.out +
        "': convert writes recordings; end the name in .runahead (`runahead export` writes other "
        "tools' formats)");
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(command.file, command.out, ignored)) {
    return refused("'" + command.out + "' is the trace itself: give another name after -o");
  }
  const InterruptNote note;
  const recordings::Progress progress = until_interrupted(note);
  Result<trace::Trace> trace = importers::load_checked(command.file, progress);
  if (note.signal() != 0) return not_written(note, command.out);
  if (!trace) return refused(trace.error());
  const auto found = trace->metadata().find("format");
  const std::string format = found == trace->metadata().end() ? "runahead" : found->second;
  trace->set_metadata("converted_from", format);
  if (const Status saved = recordings::save_recording(*trace, command.out, progress); !saved)
    return note.signal() != 0 ? not_written(note, command.out) : refused(saved.error());
  return report(command, *trace, format);
}

}  // namespace

void add_convert_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("convert", "Write any trace that opens as a recording (.runahead)");
  auto words = std::make_shared<ConvertCommand>();
  command->add_option("file", words->file, "A trace: a recording, or Chrome trace JSON")->required();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  command->add_flag("--json", words->json, "One JSON object");
  command->callback([=, &chosen] { chosen = [=] { return convert(*words); }; });
}

}  // namespace runahead::gui
