// `runahead serve`: shows traces in the user's browser, over HTTP on the loopback interface.
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "gui/serve/server.h"

namespace runahead::gui {
namespace {

struct ServeCommand {
  std::vector<std::string> paths;
  int port = 0;
};

// The server ends at most this long after a signal.
constexpr std::chrono::milliseconds kLookForSignal{50};

Outcome serve(const ServeCommand& command) {
  const InterruptNote note;
  auto server = TraceServer::start({command.paths.begin(), command.paths.end()}, command.port);
  if (!server) return refused(server.error());
  const std::string port = std::to_string((*server)->port());
  const Outcome said = write_stdout(
      (*server)->address() + "\n" + counted((*server)->file_count(), "trace") +
      ". The address is a password: who has it can read them.\nFrom another machine: ssh -L " + port +
      ":127.0.0.1:" + port + " THIS-MACHINE, then open the same address there. Ctrl+C ends this.\n");
  if (said.exit_code != 0) return said;
  while (note.signal() == 0) std::this_thread::sleep_for(kLookForSignal);
  return success();
}

}  // namespace

void add_serve_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "serve",
      "Show traces in a browser, on this machine only (others: ssh -L); a growing recording is followed");
  auto words = std::make_shared<ServeCommand>();
  command->add_option("files", words->paths, "Traces, or folders with traces")->required();
  command->add_option("--port", words->port, "The port on 127.0.0.1 and ::1; default: any free one")
      ->check(whole_number_between(1, 65535));
  command->footer("Prints the address, which has a random token. docs/serve.md");
  command->callback([=, &chosen] { chosen = [=] { return serve(*words); }; });
}

}  // namespace runahead::gui
