#include "gui/cli/remote/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "gui/cli/remote/spool.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/time.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/program_link.h"

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

// Waits until the program has begun its recording, or has ended.
Status wait_for_recording(WatchedProgram& source) {
  while (true) {
    const bool ended = source.spool->end().has_value();
    source.recording = open_to_read(source.spool->recording());
    if (source.recording.valid() && size_of(source.recording) > 0) return Ok{};
    if (ended) return Ok{};
    std::this_thread::sleep_for(std::chrono::milliseconds(kBetweenLooksMs));
  }
}

Result<WatchedProgram> source_of_spool(Spool spool, const std::vector<std::string>& words) {
  WatchedProgram source;
  for (const std::string& word : words)
    source.facts.command += (source.facts.command.empty() ? "" : " ") + word;
  source.facts.recording = spool.recording();
  source.output = open_to_read(spool.output());
  source.errors = open_to_read(spool.errors());
  source.spool = std::move(spool);
  if (const Status begun = wait_for_recording(source); !begun) return begun.error();
  return source;
}

Result<WatchedProgram> find_or_start(const AgentOptions& options) {
  if (!options.resume.empty()) {
    Result<Spool> spool = Spool::open(options.resume);
    if (!spool) return spool.error();
    return source_of_spool(std::move(*spool), {});
  }
  if (options.pid != 0) {
    Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(options.pid);
    if (!program) return program.error();
    WatchedProgram source;
    source.recording = (*program)->take_recording();
    if (!source.recording.valid())
      return Error{"program " + std::to_string(options.pid) + ": its recording cannot be opened"};
    source.facts = (*program)->program();
    source.program = std::move(*program);
    return source;
  }
  Result<Spool> spool = Spool::make();
  if (!spool) return spool.error();
  if (const Status started = start_in_spool(*spool, options.words, options.spool_bytes); !started) {
    spool->remove();
    return started.error();
  }
  return source_of_spool(std::move(*spool), options.words);
}

class Agent {
 public:
  Agent(WatchedProgram source, const AgentOptions& options)
      : source_(std::move(source)),
        sent_(options.from),
        output_sent_(options.output_from),
        errors_sent_(options.errors_from) {}

  // Returns when the watcher is gone.
  void serve() {
    greet();
    while (take_input() && write_pending()) {
      connect();
      const bool all_sent = !fill_pending();
      if (all_sent && pending_.empty()) ended_ = ended_ || tell_end();
      wait(all_sent);
    }
    if (ended_ && source_.spool && acked_ >= size_of(source_.recording)) source_.spool->remove();
  }

 private:
  void send(const std::string& frame) { pending_ += frame; }

  void greet() {
    char host[256] = "";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    send(link::frame_bytes(FrameKind::kHello,
                           std::to_string(source_.facts.pid) + "\t" +
                               source_.facts.recording.filename().string() + "\t" + source_.facts.command +
                               "\t" + (source_.spool ? source_.spool->folder().string() : "") + "\t" + host));
  }

  // The program opens its port when it starts to record. While we are connected, it writes more often.
  void connect() {
    if (source_.program || !source_.spool || steady_clock::now() < next_connect_) return;
    next_connect_ = steady_clock::now() + kBetweenConnects;
    source_.program = link::ProgramLink::to_writer_of(source_.spool->recording());
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
    if (frame.kind == FrameKind::kAck) {
      acked_ = static_cast<std::uint64_t>(parse_positive(frame.payload).value_or(0));
      if (source_.spool) source_.spool->set_acked(acked_);
    } else if (frame.kind == FrameKind::kAskTime) {
      send(link::frame_bytes(FrameKind::kTime,
                             frame.payload.substr(0, 20) + "\t" + std::to_string(monotonic_ns())));
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
    const std::uint64_t size = size_of(source_.recording);
    if (size < sent_) {  // a writer that fails in the middle of a block cuts this block off
      sent_ = size;
      send(link::frame_bytes(FrameKind::kData, sent_, ""));
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

  // True: the program has ended before the last look at its files, and this was told.
  bool tell_end() {
    std::optional<ChildEnd> end;
    if (source_.spool) {
      end = source_.spool->end();
    } else if (::flock(source_.recording.get(), LOCK_SH | LOCK_NB) == 0) {  // the writer's lock is free
      static_cast<void>(::flock(source_.recording.get(), LOCK_UN));
      end = ChildEnd{};
    }
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
  std::uint64_t sent_, output_sent_, errors_sent_, acked_ = 0;
  steady_clock::time_point next_connect_{};
  bool seen_ended_ = false, ended_ = false;
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
    return refused(source.error());
  }
  return refused("the output cannot be written");
}

}  // namespace runahead::gui
