#include "gui/cli/remote/ssh_address.h"

#include <sstream>

#include "gui/cli/programs/process_number.h"

namespace runahead::gui {
namespace {

constexpr std::string_view kScheme = "ssh://";

// The words pass through a shell there.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool is_port(const std::string& text) {
  return is_process_number(text) && text.size() <= 5 && std::stoi(text) > 0 && std::stoi(text) <= 65535;
}

}  // namespace

bool is_ssh_address(std::string_view word) { return word.starts_with(kScheme); }

Result<SshAddress> parse_ssh_address(const std::string& word) {
  const Error wrong{"'" + word +
                    "': not an address such as ssh://user@host, ssh://host:2222 or ssh://host/4711"};
  if (!is_ssh_address(word)) return wrong;
  std::string rest = word.substr(kScheme.size());
  SshAddress address;
  if (const std::size_t slash = rest.find('/'); slash != std::string::npos) {
    address.pid = rest.substr(slash + 1);
    rest.resize(slash);
    if (!address.pid.empty() && !parse_process_number(address.pid)) return wrong;
  }
  // an IPv6 address is in brackets
  const std::size_t bracket = rest.rfind(']'), colon = rest.rfind(':');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    address.port = rest.substr(colon + 1);
    rest.resize(colon);
    if (!is_port(address.port)) return wrong;
  }
  address.host = rest;
  const std::string name = rest.substr(rest.find('@') + 1);
  if (name.empty() || rest.starts_with('-') || rest.starts_with('@') || name.starts_with('-')) return wrong;
  if (name.starts_with('[') && name.ends_with(']'))
    address.host = rest.substr(0, rest.size() - name.size()) + name.substr(1, name.size() - 2);
  if (address.host.starts_with('-')) return wrong;
  return address;
}

std::string not_found_there(const SshWords& words) {
  return words.address.host + ": '" + words.program +
         "' is not found there; install the same version of runahead there, or copy the folder of an "
         "installation and give its program with --remote-program FOLDER/bin/runahead";
}

std::vector<std::string> ssh_command(const SshWords& words, const std::vector<std::string>& arguments,
                                     bool again) {
  std::vector<std::string> command;
  std::istringstream client(words.ssh);
  for (std::string word; client >> word;) command.push_back(word);
  // -T: no terminal there. A link that is silent for 10 s is broken.
  for (const char* const word : {"-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"})
    command.emplace_back(word);
  if (again) command.insert(command.end(), {"-o", "BatchMode=yes", "-o", "ConnectTimeout=10"});
  if (!words.address.port.empty()) command.insert(command.end(), {"-p", words.address.port});
  command.insert(command.end(), {"--", words.address.host});
  std::string remote = quoted(words.program);
  for (const std::string& argument : arguments) remote += " " + quoted(argument);
  command.push_back(remote);
  return command;
}

}  // namespace runahead::gui
