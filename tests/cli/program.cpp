#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace runahead::gui::test {
namespace {

std::string output_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// In the child process: redirects `descriptor` to the file `path`, which is truncated.
void redirect(int descriptor, const std::string& path) {
  const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
  close(opened);
}

void redirect_to_pipe_without_reader(int descriptor) {
  int ends[2];
  if (pipe(ends) != 0) _exit(126);
  close(ends[0]);
  if (dup2(ends[1], descriptor) < 0) _exit(126);
  close(ends[1]);
}

// A program that runs longer is ended by SIGALRM. Its test then fails, and the other tests of the test
// program run.
constexpr unsigned kMostSeconds = 120;

}  // namespace

void ProgramTest::SetUp() {
  folder_ = std::filesystem::path(::testing::TempDir()) /
            ("cli_test_" + std::to_string(getpid()) + "_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::create_directories(folder_);
}

void ProgramTest::TearDown() { std::filesystem::remove_all(folder_); }

Ended ProgramTest::run(const std::vector<std::string>& words, const Options& options) const {
  const std::string out = path("stdout.txt"), err = path("stderr.txt");
  std::vector<std::string> all{RUNAHEAD_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    // If the test runs as a background job, SIGINT is ignored in the test. Without this call, the program
    // would inherit this setting and ignore SIGINT too.
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    redirect(STDOUT_FILENO, options.stdout_to.empty() ? out : options.stdout_to);
    redirect(STDERR_FILENO, err);
    if (options.stdout_pipe_without_reader) redirect_to_pipe_without_reader(STDOUT_FILENO);
    for (const std::string& name : options.unset) unsetenv(name.c_str());
    if (const rlimit most{options.address_bytes, options.address_bytes}; most.rlim_cur != 0)
      setrlimit(RLIMIT_AS, &most);
    // To draw, the program loads Mesa. Some of Mesa's modules leak a few hundred bytes and are unloaded
    // before the leak check at the end. The check then does not know the modules' names, so no suppression
    // rule of the leak sanitizer can match them. Therefore the check is off.
    const bool draws = !words.empty() && (words.front() == "gui" || words.front() == "screenshot");
    if (draws) setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    alarm(kMostSeconds);
    execv(argv[0], argv.data());
    _exit(127);
  }
  if (options.meanwhile) options.meanwhile(child);
  int status = 0;
  waitpid(child, &status, 0);
  Ended ended;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.out = output_of(out);
  ended.err = output_of(err);
  return ended;
}

nlohmann::json ProgramTest::run_json(const std::vector<std::string>& words) const {
  const Ended ended = run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  nlohmann::json object = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << ended.out;
  return object.is_object() ? object : nlohmann::json::object();
}

std::string ProgramTest::recording(const std::string& name) const {
  const Ended ended =
      run({"run", "training_memory", "--device", "virtual:0", "--set", "steps=5", "--record", path(name)});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return path(name);
}

void expect_failure(const Ended& ended, int exit_code, const std::string& part) {
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_TRUE(ended.err.ends_with('\n')) << ended.err;
  EXPECT_NE(ended.err.find(part), std::string::npos) << "wanted '" << part << "' in: " << ended.err;
}

}  // namespace runahead::gui::test
