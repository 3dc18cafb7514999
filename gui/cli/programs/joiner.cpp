#include "gui/cli/programs/joiner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "gui/cli/programs/beside_process.h"
#include "gui/cli/programs/joined_controls.h"
#include "gui/cli/programs/process_watch.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/time.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/link/program_link.h"
#include "instrumentation/link/program_port.h"
#include "instrumentation/link/round_trip.h"
#include "instrumentation/merge/process_merger.h"
#include "instrumentation/record/files/record_request.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using record::Note;
using record::NoteKind;
using std::chrono::steady_clock;

// A watched program writes every 20 ms. A look costs a few system calls for each process.
constexpr int kJoinerPeriodMs = 5;
constexpr std::chrono::milliseconds kBetweenPortTries{100};
constexpr std::chrono::milliseconds kGatherTime{20};  // the joined file has rows after this time
constexpr std::chrono::milliseconds kBetweenClocks{500}, kBetweenClockTries{2000};

// A process that records.
struct RecordingProcess {
  explicit RecordingProcess(const GrowingRecording& recording)
      : pid(recording.writer),
        file(recording.file),
        trips(recording.trips),
        is_elsewhere(!recording.trips.empty()) {
    if (pid != 0) watch.emplace(pid);
  }
  // Does not say that a process has ended if the process is unknown.
  [[nodiscard]] bool ended() const { return watch && watch->ended(); }
  pid_t pid;
  fs::path file;
  std::optional<ProcessWatch> watch;
  std::vector<link::RoundTrip> trips;  // before it was added
  bool is_elsewhere;                   // on another machine
  std::unique_ptr<link::ProgramLink> clock_link;
  steady_clock::time_point next_clock_try{};
  bool added = false;     // to the merger
  bool given_up = false;  // it never began its recording, or the recording cannot be read
};

// The joiner's process.
class JoinerProcess {
 public:
  JoinerProcess(const JoinerOptions& options, FileDescriptor stop, FileDescriptor say_to)
      : options_(options), stop_(std::move(stop)), say_to_(std::move(say_to)) {
    if (options_.recordings.empty()) program_.emplace(options_.program);
    for (const GrowingRecording& recording : options_.recordings)
      processes_.push_back(std::make_unique<RecordingProcess>(recording));
  }

  void run() {
    while (true) {
      // The order matters: a process that says later that it records begins later than this time.
      const std::int64_t now_ns = monotonic_ns();
      const bool program_ended = !program_ || program_->ended();
      if (program_) take_notes();
      if (const Status done = work(now_ns); !done) return tell("error\t" + done.error().message);
      const bool all_ended = program_ended && all_begun() && (!merger_ || merger_->ended());
      pollfd stop{stop_.get(), POLLIN, 0};
      if (all_ended || ::poll(&stop, 1, kJoinerPeriodMs) > 0) break;
    }
    finish();
  }

 private:
  void tell(const std::string& line) const { static_cast<void>(write_all(say_to_.get(), line + "\n")); }

  void take_notes() {
    const std::vector<Note> notes = record::read_notes(options_.notes);
    for (; notes_taken_ < notes.size(); ++notes_taken_) {
      const Note& note = notes[notes_taken_];
      if (note.kind == NoteKind::kRecords)
        processes_.push_back(std::make_unique<RecordingProcess>(GrowingRecording{note.pid, note.text, {}}));
      if (note.kind != NoteKind::kNotBegun) continue;
      for (const auto& process : processes_) process->given_up |= process->pid == note.pid && !process->added;
    }
  }

  // False: a process has said that it records, and its file is not there yet.
  [[nodiscard]] bool all_begun() const {
    return std::ranges::all_of(processes_, [&](const auto& process) {
      return process->added || process->given_up || process->ended();
    });
  }

  [[nodiscard]] Status work(std::int64_t now_ns) {
    const bool one = program_ && processes_.size() == 1 && processes_.front()->pid == options_.program;
    if (processes_.empty()) return Ok{};
    if (one && !merger_) {
      if (!std::exchange(told_, true)) tell("one");
      return Ok{};
    }
    if (!merger_) {
      Result<std::unique_ptr<merge::ProcessMerger>> merger =
          merge::ProcessMerger::create(options_.joined, {.gather_time = kGatherTime});
      if (!merger) return merger.error();
      merger_ = std::move(*merger);
    }
    for (const auto& process : processes_) {
      if (const Status possible = program_ ? add(*process) : add_given(*process); !possible) return possible;
    }
    connect();
    ask_for_clocks();
    const Result<bool> news = program_ ? merger_->poll(time_of_reference(now_ns)) : merger_->poll();
    if (!news) return news.error();
    if (!begun_ && (program_ ? is_all_written() : merger_->has_begun())) begin();
    return Ok{};
  }

  // The first bytes of a recording come shortly after the note. An older recording may have its name until
  // then.
  Status add(RecordingProcess& process) {
    if (process.added || process.given_up) return Ok{};
    const bool ended = process.ended();
    std::error_code missing;
    const bool is_new = fs::file_size(process.file, missing) > 0 && !missing &&
                        fs::last_write_time(process.file, missing) >= options_.since;
    if (is_new) static_cast<void>(add_to_merger(process));
    if (!process.added && ended) process.given_up = true;
    return Ok{};
  }

  Status add_given(RecordingProcess& process) {
    if (process.added) return Ok{};
    connect_clock(process);
    return add_to_merger(process);
  }

  // A process on another machine has a port that knows the round trips.
  static void connect_clock(RecordingProcess& process) {
    if (!process.is_elsewhere || process.clock_link || steady_clock::now() < process.next_clock_try) return;
    process.next_clock_try = steady_clock::now() + kBetweenClockTries;
    Result<std::unique_ptr<link::ProgramLink>> link = link::ProgramLink::connect(process.pid);
    if (link && is_same_file((*link)->program().recording, process.file))
      process.clock_link = std::move(*link);
  }

  Status add_to_merger(RecordingProcess& process) {
    merge::ProcessMerger::Known known;
    known.trips = process.trips;
    if (process.watch) known.writer_lives = [&process] { return !process.ended(); };
    const Status added = merger_->add(process.file, std::move(known));
    process.added = added.ok();
    if (process.added && process.pid != 0) controls_.add(process.pid, process.file);
    return added;
  }

  static std::vector<link::RoundTrip> trips_of(RecordingProcess& process) {
    if (!process.clock_link) return {};
    Result<std::vector<link::RoundTrip>> trips = process.clock_link->round_trips();
    if (trips) return std::move(*trips);
    process.clock_link.reset();
    return {};
  }

  // The process at the other end of a clock link asks its machine once a second.
  void ask_for_clocks() {
    if (steady_clock::now() < next_clock_) return;
    next_clock_ = steady_clock::now() + kBetweenClocks;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      connect_clock(*processes_[i]);
      if (processes_[i]->clock_link) merger_->add_trips(i, trips_of(*processes_[i]));
    }
  }

  void connect() {
    if (steady_clock::now() < next_connect_) return;
    next_connect_ = steady_clock::now() + kBetweenPortTries;
    controls_.connect();
  }

  // No process that says later that it records has rows before this time. A process that has said it, and has
  // not begun, holds the time back.
  [[nodiscard]] Timestamp time_of_reference(std::int64_t now_ns) const {
    const std::optional<std::int64_t> origin = merger_->reference_origin_ns();
    if (!origin || !all_begun()) return Timestamp{};
    return timestamp_from_ns(wrapping_difference(now_ns, *origin));
  }

  // True when everything that had been recorded before is in the joined file. Until then, the program's own
  // recording has more rows.
  [[nodiscard]] bool is_all_written() {
    if (!merger_->has_caught_up()) return false;
    if (!caught_up_at_) caught_up_at_ = steady_clock::now();
    return steady_clock::now() - *caught_up_at_ >= 2 * kGatherTime;
  }

  // The joined recording has its first bytes.
  void begin() {
    begun_ = true;
    link::Program program{.pid = ::getpid(), .command = options_.command, .recording = options_.joined};
    program.clock_offset_ns = options_.clock_offset_ns;
    program.clock_error_ns = options_.clock_error_ns;
    Result<std::unique_ptr<link::ProgramPort>> port = link::ProgramPort::open(
        std::move(program), {}, [this](const std::string& words) { return controls_.answer(words); });
    if (port) port_ = std::move(*port);
    tell("joined");
  }

  void finish() {
    port_.reset();
    if (!merger_) return tell("ended\t0");
    if (const Status finished = merger_->finish(); !finished)
      return tell("error\t" + finished.error().message);
    if (!begun_) tell("joined");
    const std::vector<merge::ProcessMerger::Process> processes = merger_->processes();
    for (const merge::ProcessMerger::Process& process : processes) {
      if (process.whole) tell("whole\t" + process.recording.string());
    }
    tell("ended\t" + std::to_string(processes.size()));
  }

  const JoinerOptions options_;
  const FileDescriptor stop_, say_to_;
  std::optional<ProcessWatch> program_;  // nullopt: the recordings are given
  std::size_t notes_taken_ = 0;
  std::vector<std::unique_ptr<RecordingProcess>> processes_;
  std::unique_ptr<merge::ProcessMerger> merger_;
  bool told_ = false, begun_ = false;
  steady_clock::time_point next_connect_{}, next_clock_{};
  std::optional<steady_clock::time_point> caught_up_at_;
  JoinedControls controls_;
  std::unique_ptr<link::ProgramPort> port_;  // last: its thread uses controls_
};

// Each process needs three open files. The limit is often 1024, and may be raised.
void allow_all_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));
}

}  // namespace

Result<Joiner> Joiner::start(const JoinerOptions& options) {
  Result<BesideProcess> started = start_beside([&options](FileDescriptor stop, FileDescriptor say_to) {
    for (const int number : {SIGQUIT, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
    allow_all_files();
    JoinerProcess(options, std::move(stop), std::move(say_to)).run();
  });
  if (!started) return started.error();
  return Joiner(started->pid, std::move(started->stop), std::move(started->said));
}

// The last line ("ended" or "error") stays for the next call. Empty: the joiner was killed.
std::string Joiner::read_line() {
  if (!last_line_.empty()) return last_line_;
  std::string line;
  while (true) {
    char byte = 0;
    const ssize_t got = ::read(said_.get(), &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || byte == '\n') break;
    line += byte;
  }
  if (line == "one") said_so_far_ = Processes::kOne;
  if (line == "joined") said_so_far_ = Processes::kMany;
  if (line.starts_with("whole\t")) whole_.emplace_back(line.substr(6));
  if (line.starts_with("ended\t") || line.starts_with("error\t")) last_line_ = line;
  return line;
}

Result<Processes> Joiner::wait_for_processes(const std::function<bool()>& stopped) {
  constexpr int kBetweenQuestionsMs = 100;
  for (pollfd said{said_.get(), POLLIN, 0}; stopped && last_line_.empty();) {
    if (stopped()) return Error{"stopped before the program recorded anything"};
    if (::poll(&said, 1, kBetweenQuestionsMs) > 0) break;
  }
  const std::string line = read_line();
  if (line.starts_with("error\t")) return Error{line.substr(6)};
  return line == "one" || line == "joined" ? said_so_far_ : Processes::kNone;
}

Processes Joiner::processes_now() {
  pollfd said{said_.get(), POLLIN, 0};
  while (last_line_.empty() && ::poll(&said, 1, 0) > 0 && !read_line().empty()) {
  }
  return said_so_far_;
}

Result<JoinedRecordings> Joiner::wait(const std::function<bool()>& stopped) {
  constexpr int kBetweenQuestionsMs = 100;
  while (last_line_.empty()) {
    if (stopped && stopped()) stop_.reset();
    pollfd said{said_.get(), POLLIN, 0};
    if (::poll(&said, 1, kBetweenQuestionsMs) > 0 && read_line().empty()) break;
  }
  wait_for_process();
  if (last_line_.starts_with("error\t")) return Error{last_line_.substr(6)};
  if (!last_line_.starts_with("ended\t"))
    return Error{
        "the process that joins the recordings was ended; the recordings of the processes are whole"};
  const double count = parse_real(last_line_.substr(6)).value_or(0);
  return JoinedRecordings{static_cast<std::size_t>(count), whole_};
}

void Joiner::stop() {
  stop_.reset();
  said_.reset();  // so that it does not wait for a reader
  wait_for_process();
}

void Joiner::wait_for_process() {
  while (process_ > 0 && ::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
}

Joiner::~Joiner() {
  if (process_ > 0) stop();
}

}  // namespace runahead::gui
