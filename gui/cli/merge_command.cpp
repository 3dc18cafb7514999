// `runahead merge`: joins recordings of several processes, or machines, into one recording with one time.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/merge/recorded_clocks.h"

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
  json["drift_ppm"] = unknown ? Json(nullptr) : Json(clock.map.drift * 1e6);
  json["error_ns"] = unknown ? Json(nullptr) : Json(clock.error_ns);
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
    case ClockSource::kUnknown:
      break;
  }
  return "clock unknown: another machine, without messages in both directions, so it begins at time 0";
}

Outcome report(const MergeCommand& command, const ProcessMerger& merger) {
  const Result<trace::Trace> trace = recordings::open_recording(command.out);
  if (!trace) return refused(trace.error());
  const trace::TraceCounts counts = trace->counts();
  if (command.json) {
    Json processes = Json::array();
    for (const ProcessMerger::Process& process : merger.processes())
      processes.push_back(process_json(process));
    return write_json(Json{{"output", command.out},
                           {"processes", processes},
                           {"slices", counts.slices},
                           {"flows", counts.flows},
                           {"lost", losses_json(trace->losses())}});
  }
  std::string text = "wrote " + command.out + ": " + counted(command.files.size(), "process") + ", " +
                     counted(counts.slices, "slice") + ", " + counted(counts.flows, "arrow") + ", " +
                     losses_in_words(*trace) + "\n";
  for (const ProcessMerger::Process& process : merger.processes())
    text += "  " + name_of_process(process.facts) + ": " + clock_in_words(process.clock) + "\n";
  return write_stdout(text);
}

Status check_words(const MergeCommand& command) {
  if (!command.out.ends_with(".runahead"))
    return Error{"'" + command.out + "': merge writes recordings; end the name in .runahead"};
  for (const std::string& file : command.files) {
    if (is_same_file(file, command.out))
      return Error{"'" + command.out + "' is one of the recordings: give another name after -o"};
  }
  return Ok{};
}

Status check_ended(const MergeCommand& command) {
  for (const std::string& file : command.files) {
    if (link::is_being_written(file))
      return Error{"recording '" + file + "': is still being written; merge it when its program has ended"};
  }
  return Ok{};
}

Outcome merge_recordings(const MergeCommand& command) {
  if (const Status right = check_words(command); !right) return wrong_words(right.error());
  if (const Status ended = check_ended(command); !ended) return refused(ended.error());
  const InterruptNote note;
  const std::vector<fs::path> files(command.files.begin(), command.files.end());
  const Result<std::vector<merge::ProcessClock>> clocks =
      merge::clocks_of_recordings(files, [&note] { return note.signal() != 0; });
  if (note.signal() != 0) return not_written(note, command.out);
  if (!clocks) return refused(clocks.error());
  Result<TemporaryFile> temporary = TemporaryFile::create(Destination::kRecording, command.out);
  if (!temporary) return refused(temporary.error());
  recordings::WriterOptions options;
  options.shown_path = command.out;
  const Result<std::unique_ptr<ProcessMerger>> merger = ProcessMerger::create(temporary->path(), options);
  if (!merger) return refused(merger.error());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const Status added =
            (*merger)->add(files[i], {.clock = (*clocks)[i], .trips = {}, .writer_lives = {}});
        !added)
      return refused(added.error());
  }
  while (!(*merger)->ended()) {
    if (note.signal() != 0) return not_written(note, command.out);
    if (const Result<bool> read = (*merger)->poll(); !read) return refused(read.error());
  }
  if (!(*merger)->problems().empty()) return refused((*merger)->problems().front());
  if (const Status finished = (*merger)->finish(); !finished) return refused(finished.error());
  if (const Status committed = temporary->commit(); !committed) return refused(committed.error());
  return report(command, **merger);
}

}  // namespace

void add_merge_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "merge",
      "Join the recordings of several processes or machines on one timeline: merge FILE... -o OUT.runahead");
  auto words = std::make_shared<MergeCommand>();
  command->add_option("files", words->files, "The recordings. The first one gives the time")->required();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  command->add_flag("--json", words->json, "One JSON object");
  command->callback([=, &chosen] { chosen = [=] { return merge_recordings(*words); }; });
}

}  // namespace runahead::gui
