// `runahead merge`: joins the traces of several processes, machines or ranks into one recording with one
// time.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/merge/join_traces.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using merge::ClockSource;
using merge::ProcessMerger;

struct MergeCommand {
  std::vector<std::string> files;
  std::string out;
  bool json = false;
};

Json process_json(const ProcessMerger::Process& process) {
  Json json{{"recording", process.recording.string()}, {"name", name_of_process(process.facts)}};
  json["rank"] = process.facts.rank ? Json(*process.facts.rank) : Json(nullptr);
  json["clock"] = clock_word(process.clock.source);
  const bool unknown = process.clock.source == ClockSource::kUnknown;
  const merge::AlignedClock& clock = process.clock.aligned;
  json["offset_ns"] = unknown ? Json(nullptr) : Json(clock.map.to_reference(0));
  json["drift_ppm"] =
      unknown || process.clock.source == ClockSource::kDates ? Json(nullptr) : Json(clock.map.drift * 1e6);
  const bool bounded = !unknown && process.clock.source != ClockSource::kDates;
  json["error_ns"] = bounded ? Json(clock.error_ns) : Json(nullptr);
  return json;
}

std::string clock_in_words(const merge::ProcessClock& clock) {
  switch (clock.source) {
    case ClockSource::kReference:
      return "its clock is the reference";
    case ClockSource::kShared:
      return "the same machine's clock";
    case ClockSource::kRoundTrips:  // only of recordings that grow
    case ClockSource::kMessages:
      return "clock from messages, within \xc2\xb1 " + format_duration(Duration{clock.aligned.error_ns}) +
             (clock.aligned.contradiction_ns == 0
                  ? ""
                  : "; some messages arrive before they are sent, by up to " +
                        format_duration(Duration{clock.aligned.contradiction_ns}) +
                        ": a clock was set, or an id was used twice at a time");
    case ClockSource::kCollectives:
      return "clock from common collectives: 95 % of them end within " +
             format_duration(Duration{clock.aligned.error_ns}) + " of each other";
    case ClockSource::kDates:
      return "placed by the dates in the files; how far the dates of the machines differ is not known";
    case ClockSource::kUnknown:
      break;
  }
  return "clock unknown: no shared clock, and no messages in both directions, common collectives or dates, "
         "so "
         "it begins at time 0";
}

Outcome report(const MergeCommand& command, const std::vector<ProcessMerger::Process>& processes) {
  const Result<trace::Trace> trace = recordings::open_recording(command.out);
  if (!trace) return refused(trace.error());
  const trace::TraceCounts counts = trace->counts();
  if (command.json) {
    Json list = Json::array();
    for (const ProcessMerger::Process& process : processes) list.push_back(process_json(process));
    return write_json(Json{{"output", command.out},
                           {"processes", list},
                           {"slices", counts.slices},
                           {"flows", counts.flows},
                           {"lost", losses_json(trace->losses())}});
  }
  std::string text = "wrote " + command.out + ": " + counted(command.files.size(), "process") + ", " +
                     counted(counts.slices, "slice") + ", " + counted(counts.flows, "arrow") + ", " +
                     losses_in_words(*trace) + "\n";
  for (const ProcessMerger::Process& process : processes)
    text += "  " + name_of_process(process.facts) + ": " + clock_in_words(process.clock) + "\n";
  return write_stdout(text);
}

Status check_words(const MergeCommand& command) {
  if (!command.out.ends_with(".runahead"))
    return Error{"'" + command.out + "': merge writes recordings; end the name in .runahead"};
  for (const std::string& file : command.files) {
    if (is_same_file(file, command.out))
      return Error{"'" + command.out + "' is one of the traces: give another name after -o"};
  }
  return Ok{};
}

Outcome merge_traces(const MergeCommand& command) {
  if (const Status right = check_words(command); !right) return wrong_words(right.error());
  const InterruptNote note;
  const std::vector<fs::path> files(command.files.begin(), command.files.end());
  Result<TemporaryFile> temporary = TemporaryFile::create(Destination::kRecording, command.out);
  if (!temporary) return refused(temporary.error());
  const Result<std::vector<ProcessMerger::Process>> processes =
      merge::join_traces(files, temporary->path(), command.out, until_interrupted(note));
  if (note.signal() != 0) return not_written(note, command.out);
  if (!processes) return refused(processes.error());
  if (const Status committed = temporary->commit(); !committed) return refused(committed.error());
  return report(command, *processes);
}

}  // namespace

void add_merge_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("merge",
                                         "Join the traces of several processes, machines or ranks on one "
                                         "timeline: merge FILE... -o OUT.runahead");
  auto words = std::make_shared<MergeCommand>();
  command->add_option("files", words->files, "The traces. The first one gives the time")->required();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  command->add_flag("--json", words->json, "One JSON object");
  command->callback([=, &chosen] { chosen = [=] { return merge_traces(*words); }; });
}

}  // namespace runahead::gui
