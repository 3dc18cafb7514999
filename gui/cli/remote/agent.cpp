#include "gui/cli/remote/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "gui/cli/programs/joiner.h"
#include "gui/cli/remote/spool.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/time.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/program_link.h"
#include "instrumentation/link/round_trip.h"

namespace runahead::gui {
namespace {

using link::Frame;
using link::FrameKind;
using std::chrono::steady_clock;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
// Frames that ssh has not taken yet. More bytes wait in the recording.
constexpr std::size_t kMostPending = std::size_t{1} << 20;
constexpr int kBetweenLooksMs = 5;
constexpr std::chrono::milliseconds kBetweenConnects{100};

std::uint64_t size_of(const FileDescriptor& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

// What the program records and prints, and whether it has ended.
struct WatchedProgram {
  std::optional<Spool> spool;
  std::unique_ptr<link::ProgramLink> program;  // null: not connected
  link::Program facts;
  FileDescriptor recording, output, errors;
};

FileDescriptor open_to_read(const std::filesystem::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// Tells a file from another one that has the same name later.
std::string identity_of(const FileDescriptor& file) {
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0) return "";
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

WatchedProgram program_in_spool(Spool spool, const std::vector<std::string>& words) {
  WatchedProgram source;
  source.facts.command = command_text(words);
  source.facts.recording = spool.recording();
  source.output = open_to_read(spool.output());
  source.errors = open_to_read(spool.errors());
  source.spool = std::move(spool);
  return source;
}

// The program may have ended since it was watched, or may write another recording now.
Result<WatchedProgram> program_with_number(const AgentOptions& options) {
  WatchedProgram source;
  Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(options.pid);
  if (program) {
    source.recording = (*program)->take_recording();
    source.facts = (*program)->program();
    source.program = std::move(*program);
  }
  if (!options.identity.empty() && identity_of(source.recording) != options.identity) {
    source = {};
    source.facts.recording = options.recording;
    source.recording = open_to_read(options.recording);
    if (identity_of(source.recording) != options.identity)
      return Error{"recording '" + options.recording + "': is gone; what has arrived is kept"};
    return source;
  }
  if (!program) return program.error();
  if (!source.recording.valid())
    return Error{"program " + std::to_string(options.pid) + ": its recording cannot be opened"};
  return source;
}

Result<WatchedProgram> find_or_start(const AgentOptions& options) {
  if (!options.resume.empty()) {
    Result<Spool> spool = Spool::open(options.resume);
    if (!spool) return spool.error();
    return program_in_spool(std::move(*spool), {});
  }
  if (options.pid != 0) return program_with_number(options);
  Result<Spool> spool = Spool::make();
  if (!spool) return spool.error();
  if (const Status started = start_in_spool(*spool, options.words, options.spool_bytes); !started) {
    spool->remove();
    return started.error();
  }
  return program_in_spool(std::move(*spool), options.words);
}

class Agent {
 public:
  Agent(WatchedProgram source, const AgentOptions& options)
      : source_(std::move(source)),
        sent_(options.from),
        output_sent_(options.output_from),
        errors_sent_(options.errors_from),
        may_change_(source_.spool && !options.only_program && !options.joined) {
    if (source_.spool && options.joined) source_.facts.recording = source_.spool->of_all();
    catching_up_ = options.joined;  // the watcher may get kCaughtUp twice
  }

  // Returns when the watcher is gone.
  void serve() {
    static_cast<void>(link::read_clocks());  // the first call takes longer
    greet();
    while (take_input() && write_pending()) {
      connect();
      const bool all_sent = !fill_pending();
      if (all_sent && pending_.empty()) told_end_ = told_end_ || tell_end();
      wait(all_sent);
    }
    if (done_ && source_.spool && !source_.spool->is_kept()) source_.spool->remove();
  }

 private:
  void send(const std::string& frame) { pending_ += frame; }

  void greet() {
    char host[256] = "";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    const link::Program& facts = source_.facts;
    send(link::frame_bytes(FrameKind::kHello,
                           std::to_string(facts.pid) + "\t" + facts.recording.string() + "\t" +
                               (source_.spool ? "" : identity_of(source_.recording)) + "\t" + facts.command +
                               "\t" + (source_.spool ? source_.spool->folder().string() : "") + "\t" + host));
  }

  // The program begins its recording, and opens its port, some time after its start. While we are connected,
  // it writes more often.
  void connect() {
    if (!source_.recording.valid()) source_.recording = open_to_read(source_.facts.recording);
    if (source_.program || !source_.spool || steady_clock::now() < next_connect_) return;
    next_connect_ = steady_clock::now() + kBetweenConnects;
    source_.program = link::ProgramLink::to_writer_of(source_.facts.recording);
  }

  // Another process of the program records too: sends the joined recording from now on.
  void change_to_joined() {
    if (!may_change_) return;
    FileDescriptor joined = open_to_read(source_.spool->of_all());
    if (!joined.valid()) return;
    may_change_ = false;
    source_.recording = std::move(joined);
    source_.facts.recording = source_.spool->of_all();
    source_.program.reset();  // the joiner answers for all processes
    sent_ = 0;
    catching_up_ = true;
    send(link::frame_bytes(FrameKind::kJoined, ""));
  }

  // False: the watcher is gone, or sends something else than frames.
  bool take_input() {
    for (pollfd in{STDIN_FILENO, POLLIN, 0}; ::poll(&in, 1, 0) > 0;) {
      char bytes[4096];
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      if (!input_.add({bytes, static_cast<std::size_t>(got)})) return false;
      while (const std::optional<Frame> frame = input_.next()) take(*frame);
    }
    return true;
  }

  void take(const Frame& frame) {
    if (frame.kind == FrameKind::kDone) {
      done_ = told_end_;
    } else if (frame.kind == FrameKind::kAskTime) {
      const link::ClockReading clocks = link::read_clocks();
      send(link::frame_bytes(FrameKind::kTime, frame.payload.substr(0, 20) + "\t" +
                                                   std::to_string(clocks.monotonic_ns) + "\t" +
                                                   std::to_string(clocks.tsc)));
    } else if (frame.kind == FrameKind::kAsk) {
      send(link::frame_bytes(FrameKind::kAnswer, answer(frame.payload)));
    }
  }

  std::string answer(const std::string& words) {
    if (!source_.program) return words == "list" ? "\n" : "error\tthe program has no controls";
    Result<std::string> said = source_.program->ask(words);
    if (said) return *said;
    source_.program.reset();
    return words == "list" ? "\n" : "error\t" + said.error().message;
  }

  // Takes the next pieces of the recording and of the output. False: there is nothing to take.
  bool fill_pending() {
    bool any = false;
    while (pending_.size() < kMostPending) {
      const bool rows = take_recording();
      const bool output = take_text(source_.output, FrameKind::kOutput, output_sent_);
      const bool errors = take_text(source_.errors, FrameKind::kErrors, errors_sent_);
      if (!rows && !output && !errors) break;
      any = true;
    }
    return any;
  }

  bool take_recording() {
    if (!source_.recording.valid()) return false;
    change_to_joined();
    const std::uint64_t size = size_of(source_.recording);
    if (size < sent_) {  // a writer that fails in the middle of a block cuts this block off
      sent_ = size;
      send(link::frame_bytes(FrameKind::kData, sent_, ""));
    }
    if (catching_up_ && !catch_up_to_) catch_up_to_ = size;
    if (catching_up_ && sent_ >= *catch_up_to_) {
      catching_up_ = false;
      send(link::frame_bytes(FrameKind::kCaughtUp, ""));
    }
    if (size == sent_) return false;
    // SpoolTrim has freed what lies before the next data.
    const off_t found = ::lseek(source_.recording.get(), static_cast<off_t>(sent_), SEEK_DATA);
    const std::uint64_t data =
        found >= 0 ? std::min(static_cast<std::uint64_t>(found), size) : (errno == ENXIO ? size : sent_);
    if (data > sent_) {
      send(link::frame_bytes(FrameKind::kHole, sent_, link::number_bytes(data - sent_)));
      sent_ = data;
      return true;
    }
    return take_text(source_.recording, FrameKind::kData, sent_);
  }

  bool take_text(const FileDescriptor& file, FrameKind kind, std::uint64_t& sent) {
    if (!file.valid()) return false;
    std::string piece(kPieceBytes, '\0');
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(sent));
    if (got <= 0) return false;
    send(link::frame_bytes(kind, sent, {piece.data(), static_cast<std::size_t>(got)}));
    sent += static_cast<std::uint64_t>(got);
    return true;
  }

  // True: the program had ended before the last look at its files, and this was told.
  bool tell_end() {
    // A process that outlives the program may record on: the writer's lock says so.
    if (link::is_being_written(source_.recording)) return false;
    const std::optional<ChildEnd> end = source_.spool ? source_.spool->end() : ChildEnd{};
    if (!end || !std::exchange(seen_ended_, true)) return false;  // one more look at the files
    send(link::frame_bytes(FrameKind::kEnded,
                           std::to_string(end->exit_code) + "\t" + std::to_string(end->signal)));
    return true;
  }

  // Waits for input, for room in the output, or for the next look at the files.
  void wait(bool all_sent) const {
    pollfd both[]{{STDIN_FILENO, POLLIN, 0}, {pending_.empty() ? -1 : STDOUT_FILENO, POLLOUT, 0}};
    if (pending_.empty() && !all_sent) return;
    static_cast<void>(::poll(both, 2, kBetweenLooksMs));
  }

  // False: the watcher is gone.
  bool write_pending() {
    std::size_t written = 0;
    while (written < pending_.size()) {
      const ssize_t wrote = ::write(STDOUT_FILENO, pending_.data() + written, pending_.size() - written);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0 && errno == EAGAIN) break;
      if (wrote < 0) return false;
      written += static_cast<std::size_t>(wrote);
    }
    pending_.erase(0, written);
    return true;
  }

  WatchedProgram source_;
  link::FrameReader input_{false};
  std::string pending_;
  std::uint64_t sent_, output_sent_, errors_sent_;
  steady_clock::time_point next_connect_{};
  bool may_change_;           // kJoined may come
  bool catching_up_ = false;  // kCaughtUp must come, at this size of the joined recording:
  std::optional<std::uint64_t> catch_up_to_;
  bool seen_ended_ = false, told_end_ = false, done_ = false;
};

}  // namespace

Outcome run_agent(const AgentOptions& options) {
  if (!write_all(STDOUT_FILENO, link::kAgentLine).error) {
    Result<WatchedProgram> source = find_or_start(options);
    if (source) {
      // a watcher that does not read must not hold up the answers to its acks
      ::fcntl(STDOUT_FILENO, F_SETFL, ::fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
      Agent(std::move(*source), options).serve();
      return success();
    }
    static_cast<void>(write_all(STDOUT_FILENO, link::frame_bytes(FrameKind::kError, source.error().message)));
    return {kExitRefused, {}};  // the watcher prints the reason
  }
  return refused("the output cannot be written");
}

}  // namespace runahead::gui
