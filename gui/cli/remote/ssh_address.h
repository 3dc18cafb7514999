// The address of a machine that ssh reaches, and the words of an ssh client.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct SshAddress {
  std::string host;  // HOST or USER@HOST
  std::string port;  // empty: ssh's own
  std::string pid;   // a program that records there; empty: none
};

[[nodiscard]] bool is_ssh_address(std::string_view word);
// Parses ssh://[USER@]HOST[:PORT][/PID]. A name that ssh would take for an option is refused.
[[nodiscard]] Result<SshAddress> parse_ssh_address(const std::string& word);

struct SshWords {
  SshAddress address;
  std::string ssh = "ssh";           // the client, and options of it, with blanks between them
  std::string program = "runahead";  // our program on the other machine
};

// The command that runs our program with these arguments on the other machine. `again`: the link broke, and
// nobody is asked for a password.
[[nodiscard]] std::vector<std::string> ssh_command(const SshWords& words,
                                                   const std::vector<std::string>& arguments, bool again);

// The exit code of a shell that does not find the program, and what to do then.
inline constexpr int kNotFoundThere = 127;
[[nodiscard]] std::string not_found_there(const SshWords& words);

}  // namespace runahead::gui
