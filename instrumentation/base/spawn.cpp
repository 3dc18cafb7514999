#include "instrumentation/base/spawn.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace runahead {
namespace {

// Returns the environment as NAME=VALUE entries. Values in `added` replace existing values.
std::vector<std::string> whole_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int spawn(const std::vector<std::string>& words, const SpawnOptions& options, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (options.out >= 0) posix_spawn_file_actions_adddup2(&actions, options.out, STDOUT_FILENO);
  if (options.err >= 0) posix_spawn_file_actions_adddup2(&actions, options.err, STDERR_FILENO);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> argument_words = words, variable_words = whole_environment(options.environment);
  const std::vector<char*> arguments = pointers_to(argument_words), variables = pointers_to(variable_words);
  const int error =
      ::posix_spawnp(&process, words[0].c_str(), &actions, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

bool end_with_parent() {
  const char* const variable = std::getenv(kEndsWithVariable);
  if (variable == nullptr) return true;
  const std::string parent = variable;
  ::unsetenv(kEndsWithVariable);
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && std::to_string(::getppid()) == parent;
}

}  // namespace runahead
