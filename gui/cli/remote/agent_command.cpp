// `runahead agent`: the other machine's end of `runahead attach ssh://...`. ssh starts it; nobody types it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "gui/cli/programs/process_number.h"
#include "gui/cli/remote/agent.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/parse_number.h"

namespace runahead::gui {
namespace {

struct AgentCommand {
  AgentOptions options;
  std::string pid, spool = "4G";
};

Outcome agent(AgentCommand& command) {
  const auto limit = parse_positive_bytes(command.spool);
  if (!limit) return wrong_words("--spool '" + command.spool + "': not a size such as 500M or 4G");
  command.options.spool_bytes = static_cast<std::uint64_t>(*limit);
  if (!command.pid.empty()) {
    const Result<pid_t> pid = parse_process_number(command.pid);
    if (!pid) return wrong_words(pid.error());
    command.options.pid = *pid;
  }
  const int given = !command.options.words.empty() + !command.options.resume.empty() + !command.pid.empty();
  if (given != 1) return wrong_words("agent: `runahead attach ssh://HOST` starts it");
  return run_agent(command.options);
}

}  // namespace

void add_agent_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("agent", "The other machine's end of `attach ssh://HOST`; ssh starts it");
  command->group("");  // not in the list of commands
  auto words = std::make_shared<AgentCommand>();
  command->add_option("--pid", words->pid, "A program that records now");
  command->add_option("--recording", words->options.recording, "The recording of --pid, watched before");
  command->add_option("--identity", words->options.identity, "Its identity");
  command->add_option("--resume", words->options.resume, "The folder of an earlier agent");
  command->add_option("--spool", words->spool, "The limit of the spool")->default_str("4G");
  command->add_option("--from", words->options.from, "Where the recording continues");
  command->add_flag("--joined", words->options.joined, "--from is an offset in the joined recording");
  command->add_flag("--only-program", words->options.only_program, "Send the program's own recording only");
  command->add_option("--output-from", words->options.output_from, "Where the output continues");
  command->add_option("--errors-from", words->options.errors_from, "Where the errors continue");
  command->add_option("command", words->options.words, "The program and its arguments, after --");
  command->callback([words, &chosen] { chosen = [words] { return agent(*words); }; });
}

}  // namespace runahead::gui
