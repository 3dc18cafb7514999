#include "gui/cli/remote/bridge.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "gui/cli/outcome.h"
#include "gui/cli/programs/beside_process.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/program_port.h"
#include "instrumentation/link/round_trip.h"

namespace runahead::gui {
namespace {

using link::Frame;
using link::FrameKind;
using std::chrono::steady_clock;

constexpr int kSshFailed = 255;
constexpr int kTimeQuestions = 5;  // at the start; then one a second
constexpr std::chrono::seconds kBetweenTimeQuestions{1};
constexpr std::size_t kMostTimeQuestions = 100;  // without an answer
constexpr std::size_t kMostTrips = 64;           // that are kept
constexpr std::chrono::seconds kMostWait{2};
// Shorter than the time for which a watcher waits for the port (ProgramLink).
constexpr std::chrono::seconds kMostWaitForAnswer{1};
constexpr std::size_t kMostQuestionBytes = std::size_t{1} << 20;
constexpr int kBetweenTriesMs = 1000;

void say(const std::string& line) { std::fprintf(stderr, "runahead: %s\n", line.c_str()); }

// The messages that watchers send to the port. The port's thread asks, the bridge's thread answers.
class Questions {
 public:
  explicit Questions(std::string host) : host_(std::move(host)) {}

  // The port's thread. Waits for the answer.
  std::optional<std::string> ask(const std::string& words) {
    MutexLock lock(mutex_);
    if (words == "link") return (connected_ ? "there\t" : "broken\t") + host_;
    if (words == "clock") return link::text_of_trips(trips_) + "\n";
    if (!connected_) return without_link(words);
    asked_.push_back(words);
    static_cast<void>(::eventfd_write(wake_.get(), 1));
    const std::uint64_t turn = ++turns_, connection = connection_;
    const auto until = steady_clock::now() + kMostWaitForAnswer;
    while (answered_ < turn && connection_ == connection) {
      if (changed_.wait_until(lock.native(), until) == std::cv_status::timeout) break;
    }
    if (answered_ < turn || connection_ != connection) return without_link(words);
    if (words == "list") list_ = answer_;
    return answer_;
  }

  // The bridge's thread.
  [[nodiscard]] int wake() const { return wake_.get(); }
  [[nodiscard]] std::deque<std::string> take() {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(wake_.get(), &count));
    const MutexLock lock(mutex_);
    return std::exchange(asked_, {});
  }
  void answer(const std::string& words) {
    const MutexLock lock(mutex_);
    if (answered_ < turns_) ++answered_;
    answer_ = words;
    changed_.notify_all();
  }
  void add_trip(const link::RoundTrip& trip) {
    const MutexLock lock(mutex_);
    if (trips_.size() == kMostTrips) trips_.erase(trips_.begin());
    trips_.push_back(trip);
  }
  void set_connected(bool connected) {
    const MutexLock lock(mutex_);
    connected_ = connected;
    ++connection_;  // the questions so far are not answered any more
    asked_.clear();
    answered_ = turns_;
    changed_.notify_all();
  }

 private:
  [[nodiscard]] std::string without_link(const std::string& words) const RUNAHEAD_REQUIRES(mutex_) {
    return words == "list" ? list_ : "error\tthe link to " + host_ + " is broken; try again when it is back";
  }

  const std::string host_;
  const FileDescriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Mutex mutex_;  // never nests
  std::condition_variable changed_;
  std::deque<std::string> asked_ RUNAHEAD_GUARDED_BY(mutex_);
  std::uint64_t turns_ RUNAHEAD_GUARDED_BY(mutex_) = 0, answered_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint64_t connection_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::string answer_ RUNAHEAD_GUARDED_BY(mutex_);
  std::string list_ RUNAHEAD_GUARDED_BY(mutex_) = "\n";             // the last answer to "list"
  std::vector<link::RoundTrip> trips_ RUNAHEAD_GUARDED_BY(mutex_);  // the latest ones
  bool connected_ RUNAHEAD_GUARDED_BY(mutex_) = false;
};

// An ssh client with pipes at its standard input and output. Its stderr is ours.
class SshProcess {
 public:
  SshProcess() = default;
  ~SshProcess() { end(); }
  SshProcess(const SshProcess&) = delete;
  SshProcess& operator=(const SshProcess&) = delete;

  Status start(const std::vector<std::string>& command) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0) return Error{"pipe: " + system_error_text(errno)};
    FileDescriptor their_in(in[0]);
    to_ = FileDescriptor(in[1]);
    if (::pipe2(out, O_CLOEXEC) != 0) return Error{"pipe: " + system_error_text(errno)};
    from_ = FileDescriptor(out[0]);
    FileDescriptor their_out(out[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, their_in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, their_out.get(), STDOUT_FILENO);
    std::vector<std::string> words = command;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // ssh may not ignore SIGTERM, but Ctrl-C is not for it.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t usual = signals_ignored_beside();
    sigdelset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawnp(&process_, pointers[0], &actions, &attributes, pointers.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      process_ = 0;
      return Error{"'" + command[0] + "': cannot be started: " + system_error_text(error) +
                   "; install an ssh client"};
    }
    ::fcntl(to_.get(), F_SETFL, O_NONBLOCK);
    return Ok{};
  }
  // Closes the pipes, and waits for the client's end. Returns its exit code.
  int end() {
    to_.reset();
    from_.reset();
    if (process_ == 0) return exit_code_;
    int status = 0;
    const auto until = steady_clock::now() + kMostWait;
    pid_t ended = 0;
    while ((ended = ::waitpid(process_, &status, WNOHANG)) == 0 && steady_clock::now() < until)
      ::poll(nullptr, 0, 10);
    if (ended == 0) {
      ::kill(process_, SIGTERM);
      while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    process_ = 0;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSshFailed;
    return exit_code_;
  }
  [[nodiscard]] int to() const { return to_.get(); }
  [[nodiscard]] int from() const { return from_.get(); }

 private:
  FileDescriptor to_, from_;
  pid_t process_ = 0;
  int exit_code_ = 0;
};

// The copy of the recording on this machine. Its lock tells followers that it still grows.
class Mirror {
 public:
  // Makes the file. An existing file keeps its bytes until the first write().
  Status open(const std::filesystem::path& path) {
    path_ = path;
    file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file_.valid()) return file_error("recording", path, "cannot be made: " + system_error_text(errno));
    // Somebody who looks whether the file is being written holds the lock for a moment.
    for (int tries = 0; ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
      if (errno != EWOULDBLOCK) return Ok{};  // a file system without locks
      if (tries == 20) return file_error("recording", path, "another program is writing it");
      ::poll(nullptr, 0, 1);
    }
    return Ok{};
  }
  // `offset` is at most size(). What lies after it is replaced.
  Status write(std::uint64_t offset, std::string_view bytes) {
    if (offset > size_) return Error{"the agent has left out a part of the recording"};
    const bool first = !std::exchange(begun_, true);
    if ((first || offset < size_) && ::ftruncate(file_.get(), static_cast<off_t>(offset)) != 0)
      return failure();
    size_ = offset;
    while (!bytes.empty()) {
      const ssize_t wrote = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return failure();
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      size_ += static_cast<std::uint64_t>(wrote);
    }
    return Ok{};
  }
  Status leave_out(std::uint64_t offset, std::uint64_t count) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // larger than any spool
    if (offset != size_ || count > kMost || size_ > kMost)
      return Error{"the agent has left out a part of the recording"};
    size_ += count;
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) return failure();
    return Ok{};
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Error failure() const {
    return file_error("recording", path_,
                      "cannot be written: " + system_error_text(errno) + "; what has arrived is kept");
  }
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  bool begun_ = false;
};

enum class Talk { kEnded, kStopped, kBroken, kFailed };

// The bridge's process.
class BridgeProcess {
 public:
  BridgeProcess(const BridgeOptions& options, FileDescriptor stop, FileDescriptor say_to)
      : options_(options),
        stop_(std::move(stop)),
        say_to_(std::move(say_to)),
        questions_(options.ssh.address.host) {}

  void run() {
    if (const Status opened = mirror_.open(options_.mirror); !opened) return fail(opened.error().message);
    for (bool again = false;; again = true) {
      SshProcess ssh;
      if (const Status started = ssh.start(ssh_command(options_.ssh, agent_words(), again)); !started)
        return fail(started.error().message);
      greeted_now_ = false;
      const Talk talk = this->talk(ssh);
      questions_.set_connected(false);
      const int exit_code = ssh.end();
      if (talk == Talk::kFailed) return fail(options_.ssh.address.host + ": " + failure_);
      if (talk != Talk::kBroken) return;
      if (!greeted_) return fail(first_failure(exit_code));
      if (!told_broken_)
        say("the link to " + options_.ssh.address.host +
            " is broken; the program goes on there, and the link is tried every second");
      told_broken_ = true;
      pollfd stop{stop_.get(), POLLIN, 0};
      if (::poll(&stop, 1, kBetweenTriesMs) > 0) return;
    }
  }

 private:
  void tell(const std::string& line) const { static_cast<void>(write_all(say_to_.get(), line + "\n")); }
  void fail(const std::string& why) const { tell("error\t" + why); }

  [[nodiscard]] std::vector<std::string> agent_words() const {
    std::vector<std::string> words{"agent"};
    if (!options_.spool.empty()) words.insert(words.end(), {"--spool", options_.spool});
    if (options_.joined.empty()) words.emplace_back("--only-program");
    if (joined_) words.emplace_back("--joined");
    if (greeted_) {
      words.insert(words.end(), {"--from", std::to_string(mirror_.size()), "--output-from",
                                 std::to_string(output_), "--errors-from", std::to_string(errors_)});
    }
    if (!folder_.empty()) {
      words.insert(words.end(), {"--resume", folder_});
    } else if (options_.words.empty()) {
      words.insert(words.end(), {"--pid", options_.ssh.address.pid});
      if (greeted_) words.insert(words.end(), {"--recording", recording_, "--identity", identity_});
    } else {
      words.emplace_back("--");
      words.insert(words.end(), options_.words.begin(), options_.words.end());
    }
    return words;
  }

  // Why there was no agent at the first try. ssh has printed its own reason already.
  [[nodiscard]] std::string first_failure(int exit_code) const {
    const std::string& host = options_.ssh.address.host;
    if (exit_code == kNotFoundThere) return not_found_there(options_.ssh);
    if (exit_code == kSshFailed) return host + ": ssh cannot connect; try `ssh " + host + " true`";
    return host + ": `" + options_.ssh.program + " agent` does not answer there (exit code " +
           std::to_string(exit_code) + "); install the same version of runahead there";
  }

  Talk talk(const SshProcess& ssh) {
    link::FrameReader reader(true);
    pending_.clear();
    while (true) {
      pollfd all[]{{ssh.from(), POLLIN, 0},
                   {pending_.empty() ? -1 : ssh.to(), POLLOUT, 0},
                   {stop_.get(), POLLIN, 0},
                   {questions_.wake(), POLLIN, 0}};
      if (::poll(all, 4, wait_ms()) < 0 && errno != EINTR) return Talk::kBroken;
      if (all[2].revents != 0) return Talk::kStopped;
      if (greeted_now_ && steady_clock::now() >= next_time_question_) ask_time();
      if (all[3].revents != 0) {
        for (const std::string& words : questions_.take())
          pending_ += link::frame_bytes(FrameKind::kAsk, words);
      }
      if (all[1].revents != 0 && !write_pending(ssh)) return Talk::kBroken;
      if (all[0].revents == 0) continue;
      std::string bytes(std::size_t{64} << 10, '\0');
      const ssize_t got = ::read(ssh.from(), bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Talk::kBroken;
      bytes.resize(static_cast<std::size_t>(got));
      if (const Status added = reader.add(bytes); !added) return failed(added.error().message);
      while (const std::optional<Frame> frame = reader.next()) {
        if (const Status taken = take(*frame); !taken) return failed(taken.error().message);
        if (frame->kind == FrameKind::kEnded) return finish(ssh);
      }
      if (pending_.size() > kMostQuestionBytes) return failed("the agent does not read what it is sent");
      static_cast<void>(write_pending(ssh));
      if (mirror_.size() > 0 && times_ >= kTimeQuestions && (!joined_ || caught_up_)) be_ready();
    }
  }

  // The agent removes its spool when it knows that everything is here.
  Talk finish(const SshProcess& ssh) {
    pending_ += link::frame_bytes(FrameKind::kDone, "");
    const auto until = steady_clock::now() + kMostWait;
    while (!pending_.empty() && write_pending(ssh) && steady_clock::now() < until) {
      pollfd to{ssh.to(), POLLOUT, 0};
      if (!pending_.empty()) static_cast<void>(::poll(&to, 1, 100));
    }
    return Talk::kEnded;
  }

  Talk failed(std::string why) {
    failure_ = std::move(why);
    return Talk::kFailed;
  }

  bool write_pending(const SshProcess& ssh) {
    const ssize_t wrote = ::write(ssh.to(), pending_.data(), pending_.size());
    if (wrote > 0) pending_.erase(0, static_cast<std::size_t>(wrote));
    return wrote >= 0 || errno == EAGAIN || errno == EINTR;
  }

  Status take(const Frame& frame) {
    const std::string_view payload = frame.payload;
    const std::optional<std::uint64_t> offset = link::first_number(payload);
    switch (frame.kind) {
      case FrameKind::kHello:
        return greet(link::split_fields(frame.payload, '\t'));
      case FrameKind::kData:
        if (offset) return mirror_.write(*offset, payload.substr(8));
        break;
      case FrameKind::kHole:
        if (const auto count = link::first_number(payload.substr(std::min<std::size_t>(8, payload.size())));
            offset && count)
          return mirror_.leave_out(*offset, *count);
        break;
      case FrameKind::kOutput:
        if (offset)
          return print(options_.output_to_stderr ? STDERR_FILENO : STDOUT_FILENO, *offset, payload.substr(8),
                       output_);
        break;
      case FrameKind::kErrors:
        if (offset) return print(STDERR_FILENO, *offset, payload.substr(8), errors_);
        break;
      case FrameKind::kJoined:
        return begin_joined();
      case FrameKind::kCaughtUp:
        caught_up_ = joined_;
        return Ok{};
      case FrameKind::kAnswer:
        questions_.answer(frame.payload);
        return Ok{};
      case FrameKind::kTime:
        take_time(frame.payload);
        return Ok{};
      case FrameKind::kEnded:
        return end(link::split_fields(frame.payload, '\t'));
      case FrameKind::kError:
        return Error{frame.payload.substr(0, 1000)};
      default:
        break;
    }
    return Error{"the agent sends a message that has no meaning"};
  }

  Status greet(const std::vector<std::string>& fields) {
    if (fields.size() != 6 || std::exchange(greeted_now_, true))
      return Error{"the agent is of another version; install the same version there"};
    if (!greeted_) {
      recording_ = fields[1];
      identity_ = fields[2];
      command_ = fields[3] + " on " + options_.ssh.address.host;
      folder_ = fields[4];
    } else if (fields[2] != identity_) {
      return Error{"the program writes another recording now; what has arrived is kept"};
    }
    if (std::exchange(told_broken_, false)) say("the link to " + options_.ssh.address.host + " is back");
    greeted_ = true;
    questions_.set_connected(true);
    asked_.clear();
    ask_time();
    return Ok{};
  }

  // The port changes when the joined recording has caught up. Until then, the copy of the program's own
  // recording has more rows.
  Status begin_joined() {
    if (options_.joined.empty() || std::exchange(joined_, true))
      return Error{"the agent sends a message that has no meaning"};
    ready_ = false;
    of_program_ = std::exchange(mirror_, Mirror());
    return mirror_.open(options_.joined);
  }

  Status end(const std::vector<std::string>& fields) {
    const auto code = parse_real(fields[0]);
    const auto signal = fields.size() == 2 ? parse_real(fields[1]) : std::nullopt;
    const auto is_byte = [](double number) { return number >= 0 && number <= 255; };
    if (!code || !signal || !is_byte(*code) || !is_byte(*signal))
      return Error{"the agent sends a message that has no meaning"};
    if (mirror_.size() > 0) be_ready();
    tell("ended\t" + std::to_string(static_cast<int>(*code)) + "\t" +
         std::to_string(static_cast<int>(*signal)));
    return Ok{};
  }

  // How long nothing is to be done without a message.
  [[nodiscard]] int wait_ms() const {
    if (!greeted_now_) return -1;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(next_time_question_ - steady_clock::now());
    return static_cast<int>(std::max<std::int64_t>(rest.count(), 0));
  }

  void ask_time() {
    next_time_question_ = steady_clock::now() + kBetweenTimeQuestions;
    if (asked_.size() >= kMostTimeQuestions) return;
    asked_[++times_asked_] = link::read_clocks();
    pending_ += link::frame_bytes(FrameKind::kAskTime, std::to_string(times_asked_));
  }

  // The other clock was read between our question and its answer. The shortest round trip has the least
  // error.
  void take_time(const std::string& payload) {
    const link::ClockReading answered = link::read_clocks();
    const std::vector<std::string> fields = link::split_fields(payload, '\t');
    const auto number = parse_positive(fields[0]);
    const auto asked = number ? asked_.find(*number) : asked_.end();
    const auto theirs = fields.size() >= 2 ? parse_positive(fields[1]) : std::nullopt;
    const auto tsc = fields.size() >= 3 ? parse_positive(fields[2]) : std::nullopt;
    constexpr std::int64_t kMostClock = std::int64_t{1} << 60;  // 36 years, so that no sum overflows
    if (asked == asked_.end() || !theirs || *theirs > kMostClock) return;
    const link::RoundTrip trip{
        asked->second, {*theirs, static_cast<std::uint64_t>(tsc.value_or(0))}, answered};
    asked_.erase(asked);
    questions_.add_trip(trip);
    if (++times_ < kTimeQuestions) ask_time();  // only now, so that no question waits behind another one
    const std::int64_t took_ns = trip.answered.monotonic_ns - trip.asked.monotonic_ns;
    const std::int64_t error_ns = (took_ns + 1) / 2;
    if (clock_error_ns_ == 0 || error_ns < clock_error_ns_) {
      clock_error_ns_ = error_ns;
      clock_offset_ns_ = *theirs - (trip.asked.monotonic_ns + took_ns / 2);
    }
  }

  // Waits for a reader of our output, but not when the user has stopped watching.
  Status print(int to, std::uint64_t offset, std::string_view bytes, std::uint64_t& printed) {
    if (offset != printed) return Error{"the agent has left out a part of the program's output"};
    printed += bytes.size();
    while (!bytes.empty()) {
      pollfd both[]{{to, POLLOUT, 0}, {stop_.get(), POLLIN, 0}};
      if (::poll(both, 2, -1) < 0 && errno == EINTR) continue;
      if (both[1].revents != 0) return Ok{};
      const ssize_t wrote = ::write(to, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
      if (wrote < 0 && errno != EINTR && errno != EAGAIN) return Ok{};  // nobody reads it any more
      if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return Ok{};
  }

  // There is something to open: opens the port, and tells the other process.
  void be_ready() {
    if (std::exchange(ready_, true)) return;
    port_.reset();
    Result<std::unique_ptr<link::ProgramPort>> port = link::ProgramPort::open(
        {.pid = ::getpid(),
         .command = command_,
         .recording = std::filesystem::absolute(joined_ ? options_.joined : options_.mirror),
         .clock_offset_ns = clock_offset_ns_,
         .clock_error_ns = clock_error_ns_},
        {}, [this](const std::string& words) { return questions_.ask(words); });
    if (port) port_ = std::move(*port);
    if (!std::exchange(told_ready_, true)) tell("ready");
    if (joined_) tell("joined");
    of_program_ = Mirror();
  }

  const BridgeOptions options_;
  const FileDescriptor stop_, say_to_;
  Mirror mirror_;
  Mirror of_program_;    // its lock says that it is not whole, until the joined recording takes its place
  std::string pending_;  // frames for the agent
  std::string command_, recording_, identity_, folder_, failure_;
  std::uint64_t output_ = 0, errors_ = 0;             // bytes that were printed
  std::map<std::int64_t, link::ClockReading> asked_;  // questions for the time without an answer, by number
  std::int64_t times_asked_ = 0;
  steady_clock::time_point next_time_question_{};
  std::int64_t clock_offset_ns_ = 0, clock_error_ns_ = 0;
  int times_ = 0;
  bool greeted_ = false, greeted_now_ = false, ready_ = false, told_ready_ = false, told_broken_ = false;
  bool joined_ = false;     // mirror_ is options_.joined
  bool caught_up_ = false;  // it has all that had been recorded when it began
  Questions questions_;
  std::unique_ptr<link::ProgramPort> port_;  // last: its thread uses questions_
};

}  // namespace

Result<Bridge> Bridge::start(const BridgeOptions& options, const std::function<bool()>& stopped) {
  Result<BesideProcess> started = start_beside([&options](FileDescriptor stop, FileDescriptor say_to) {
    BridgeProcess(options, std::move(stop), std::move(say_to)).run();
  });
  if (!started) return started.error();
  Bridge bridge(started->pid, std::move(started->stop), std::move(started->said));
  const std::string line = bridge.read_line(stopped);
  if (line == "ready") return bridge;
  if (line.empty() && stopped()) {
    // What has arrived is kept, also if the clocks have not been compared yet.
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(options.mirror, ignored);
    if (!ignored && bytes > 0) return bridge;
    return Error{"stopped before the program recorded anything"};
  }
  Result<std::optional<ChildEnd>> end = bridge.finish(line);
  if (!end) return end.error();
  bridge.ended_early_ = end->value_or(ChildEnd{.exit_code = kExitRefused});
  return bridge;
}

std::string Bridge::read_line(const std::function<bool()>& stopped) {
  if (!last_line_.empty()) return std::exchange(last_line_, "");
  std::string line = read_any_line(stopped);
  while (line == "joined") {
    joined_ = true;
    line = read_any_line(stopped);
  }
  return line;
}

bool Bridge::joined_now() {
  pollfd said{said_.get(), POLLIN, 0};
  while (!joined_ && last_line_.empty() && ::poll(&said, 1, 0) > 0) {
    const std::string line = read_any_line({});
    joined_ = line == "joined";
    if (line.empty()) break;
    if (!joined_) last_line_ = line;
  }
  return joined_;
}

bool Bridge::wait_for_joined(const std::function<bool()>& stopped) {
  if (!joined_ && last_line_.empty()) {
    const std::string line = read_any_line(stopped);
    joined_ = line == "joined";
    if (!joined_) last_line_ = line;
  }
  return joined_;
}

std::string Bridge::read_any_line(const std::function<bool()>& stopped) const {
  std::string line;
  while (!line.empty() || !stopped || !stopped()) {
    pollfd said{said_.get(), POLLIN, 0};
    if (::poll(&said, 1, 100) <= 0) continue;
    char byte = 0;
    const ssize_t got = ::read(said_.get(), &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || byte == '\n') break;
    line += byte;
  }
  return line;
}

Result<std::optional<ChildEnd>> Bridge::stop() {
  if (process_ <= 0) return std::optional<ChildEnd>{};
  stop_.reset();
  const std::string line = read_line();
  return line.empty() ? finish("stopped") : finish(line);
}

Result<std::optional<ChildEnd>> Bridge::wait_for_end(const std::function<bool()>& stopped) {
  const std::string line = read_line(stopped);
  if (line.empty() && stopped()) return stop();
  return finish(line);
}

// An empty line: the bridge was killed.
Result<std::optional<ChildEnd>> Bridge::finish(const std::string& last_line) {
  stop_.reset();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  if (last_line.empty())
    return Error{"the process that copies the recording was ended; what has arrived is kept"};
  if (last_line.starts_with("error\t")) return Error{last_line.substr(6)};
  const std::vector<std::string> fields = link::split_fields(last_line, '\t');
  if (fields.size() != 3 || fields[0] != "ended") return std::optional<ChildEnd>{};
  return std::optional<ChildEnd>{ChildEnd{static_cast<int>(parse_real(fields[1]).value_or(0)),
                                          static_cast<int>(parse_real(fields[2]).value_or(0))}};
}

Bridge::~Bridge() {
  if (process_ > 0) static_cast<void>(stop());
}

}  // namespace runahead::gui
