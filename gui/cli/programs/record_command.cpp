// `runahead record`: starts a program and reports the result of its recording.
#include <CLI/CLI.hpp>
#include <memory>

#include "gui/cli/programs/child_process.h"
#include "gui/cli/programs/recorded_program.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "instrumentation/record/files/file_limits.h"

namespace runahead::gui {
namespace {

struct RecordCommand {
  std::string out;
  LimitWords limits;
  std::vector<std::string> words;
};

Outcome record_program(const RecordCommand& command) {
  if (command.out.empty()) return wrong_words("-o needs the name of a file, such as -o run.runahead");
  const Result<record::FileLimits> limits =
      record::parse_limits(command.limits.rotate, command.limits.keep_last);
  if (!limits) return wrong_words(limits.error());
  const Result<std::unique_ptr<RecordedProgram>> program =
      RecordedProgram::prepare(command.words, command.out);
  if (!program) return refused(program.error());
  const Result<ChildEnd> end = run_child(command.words, (*program)->environment(command.limits));
  if (!end) return refused(end.error());
  return (*program)->report(*end);
}

}  // namespace

void add_record_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "record",
      "Start a program that uses CUDA or the public API and record it: record -o FILE -- COMMAND...");
  auto words = std::make_shared<RecordCommand>();
  command->add_option("-o,--output", words->out, "The recording to write")->required();
  add_limit_words(*command, words->limits);
  command->add_option("command", words->words, "The program and its arguments, after --")->required();
  command->callback([=, &chosen] { chosen = [=] { return record_program(*words); }; });
}

}  // namespace runahead::gui
