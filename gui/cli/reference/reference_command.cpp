// `runahead reference`, which --help does not list: writes the man pages and the completions of shells. The
// build runs it, so that they always match the command line of the program beside them.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "gui/cli/reference/completions.h"
#include "gui/cli/reference/description.h"
#include "gui/cli/reference/man_pages.h"
#include "gui/cli/subcommands.h"
#include "gui/session/session_facts.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

struct ReferenceCommand {
  std::string folder, python_options;
};

// The date on the pages: that of SOURCE_DATE_EPOCH, so that a build can be repeated byte by byte, or today.
std::string page_date() {
  const char* const said = std::getenv("SOURCE_DATE_EPOCH");
  std::time_t seconds = std::time(nullptr);
  if (said != nullptr && *said != '\0') seconds = static_cast<std::time_t>(std::strtoll(said, nullptr, 10));
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

Status write_page(const fs::path& file, std::string_view text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return Error{"'" + file.string() + "': cannot be written"};
  return Ok{};
}

Status write_reference(const ProgramDescription& program, const fs::path& share) {
  const std::string date = page_date();
  const fs::path man = share / "man" / "man1";
  if (Status written = write_page(man / "runahead.1", man_page(program, date)); !written) return written;
  for (const CommandDescription& command : program.commands) {
    const fs::path page = man / ("runahead-" + command.name + ".1");
    if (Status written = write_page(page, man_page(program, command, date)); !written) return written;
  }
  Status written =
      write_page(share / "bash-completion" / "completions" / "runahead", bash_completion(program));
  if (written)
    written = write_page(share / "zsh" / "vendor-completions" / "_runahead", zsh_completion(program));
  if (written)
    written = write_page(share / "fish" / "vendor_completions.d" / "runahead.fish", fish_completion(program));
  return written;
}

Outcome reference(const CLI::App& app, const ReferenceCommand& command) {
  ProgramDescription program = program_description(app, std::string(program_version()));
  if (!command.python_options.empty()) {
    if (Status added = add_python_options(program, command.python_options); !added)
      return refused(added.error());
  }
  const Status written = write_reference(program, command.folder);
  return written ? success() : refused(written.error());
}

}  // namespace

void add_reference_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("reference", "Write the man pages and the completions of shells below a folder");
  command->group("");  // hidden
  auto words = std::make_shared<ReferenceCommand>();
  command->add_option("folder", words->folder, "The folder that becomes share/ of an installation")
      ->required();
  command->add_option("--python-options", words->python_options,
                      "What `python3 -m runahead.command_line` prints: the options of `runahead python`");
  command->callback([&app, words, &chosen] { chosen = [&app, words] { return reference(app, *words); }; });
}

}  // namespace runahead::gui
