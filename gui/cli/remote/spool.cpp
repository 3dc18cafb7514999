#include "gui/cli/remote/spool.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "gui/cli/outcome.h"
#include "gui/cli/programs/joiner.h"
#include "gui/cli/programs/recorded_program.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/scratch_folder.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording_index.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using recordings::BlockKind;

constexpr const char* kName = "runahead-agent";
constexpr std::uint64_t kPage = 4096;
constexpr std::chrono::milliseconds kBetweenTrims{100}, kUntilChosen{5};

// Replaces a small file as a whole, so that a reader never sees a part of it.
void replace_file(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.string() + ".new";
  std::ofstream(fresh, std::ios::trunc) << text;
  std::error_code none;
  fs::rename(fresh, path, none);
}

// True for a block without which the later blocks still have their meaning.
bool may_go(BlockKind kind) {
  return recordings::has_summary(kind) || kind == BlockKind::kOpen || kind == BlockKind::kCommit;
}

void free_pages(int fd, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t first = (from + kPage - 1) / kPage * kPage, last = to / kPage * kPage;
  if (first >= last) return;
  // a file system that cannot free a part of a file keeps it
  static_cast<void>(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                                static_cast<off_t>(last - first)));
}

std::uint64_t used_bytes(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_blocks) * 512 : 0;
}

// Chooses the recording that the agent sends, and trims all recordings of the program.
class SpooledRecordings {
 public:
  SpooledRecordings(const Spool& spool, std::uint64_t limit_bytes, std::optional<Joiner> joiner)
      : spool_(spool),
        limit_bytes_(limit_bytes),
        joiner_(std::move(joiner)),
        trim_(spool.recording(), limit_bytes),
        trim_of_all_(spool.of_all(), limit_bytes) {}

  [[nodiscard]] bool chosen() const { return chosen_; }
  void look(const RecordedProgram& program) {
    choose(joiner_ ? joiner_->processes_now() : Processes::kOne);
    trim_.trim();
    trim_of_all_.trim();
    for (const fs::path& recording : program.recordings()) {
      if (is_same_file(recording, spool_.recording())) continue;
      trims_.try_emplace(recording, recording, limit_bytes_).first->second.trim();
    }
  }
  // Call it after the program's end. Error: the joined recording is not whole.
  [[nodiscard]] Status finish(const RecordedProgram& program) {
    Status joined = Ok{};
    if (joiner_) {
      if (const Result<JoinedRecordings> all = joiner_->wait(); !all) joined = all.error();
    }
    look(program);
    return joined;
  }

 private:
  void choose(Processes processes) {
    if (processes == Processes::kNone || joined_chosen_) return;
    const bool several = processes == Processes::kMany;
    if (chosen_ && !several) return;
    std::error_code missing;
    fs::create_hard_link(several ? spool_.joined() : spool_.of_program(),
                         chosen_ ? spool_.of_all() : spool_.recording(), missing);
    if (missing) return;
    chosen_ = true;
    joined_chosen_ = several;
  }

  const Spool& spool_;
  const std::uint64_t limit_bytes_;
  std::optional<Joiner> joiner_;  // nullopt: only the program's own recording is sent
  SpoolTrim trim_, trim_of_all_;
  std::map<fs::path, SpoolTrim> trims_;
  bool chosen_ = false, joined_chosen_ = false;
};

// The process beside the program: starts the program, waits for its end, and trims its recording. `started`
// gets one line when the program has started: empty, or why it could not be started.
void run_beside(const Spool& spool, const std::vector<std::string>& words, std::uint64_t limit_bytes,
                const FileDescriptor& started) {
  ::setsid();
  const FileDescriptor running = spool.lock_running();
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const FileDescriptor out(::open(spool.output().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const FileDescriptor errors(
      ::open(spool.errors().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(out.get(), STDOUT_FILENO);
  ::dup2(errors.get(), STDERR_FILENO);
  const auto say = [&started](const std::string& line) {
    static_cast<void>(write_all(started.get(), line + "\n"));
  };
  const Result<std::unique_ptr<RecordedProgram>> program =
      RecordedProgram::prepare(words, spool.of_program().string());
  if (!program) return say(program.error().message);
  const fs::file_time_type since = now_in_file_times();
  const Result<std::unique_ptr<Child>> child = Child::start((*program)->words(), (*program)->environment());
  if (!child) return say(child.error().message);
  Result<Joiner> joiner = Joiner::start({.notes = (*program)->notes(),
                                         .joined = spool.joined(),
                                         .command = command_text(words),
                                         .program = (*child)->pid(),
                                         .since = since});
  say("");
  SpooledRecordings recordings(spool, limit_bytes,
                               joiner ? std::optional<Joiner>(std::move(*joiner)) : std::nullopt);
  while (!(*child)->ended()) {
    recordings.look(**program);
    std::this_thread::sleep_for(recordings.chosen() ? kBetweenTrims : kUntilChosen);
  }
  ChildEnd end = (*child)->wait();
  if (const Status joined = recordings.finish(**program); !joined) {
    spool.keep();
    if (end.exit_code == 0) end.exit_code = kExitRefused;
    static_cast<void>(write_all(STDERR_FILENO, "runahead: " + joined.error().message + ", in " +
                                                   spool.folder().string() + " there\n"));
  }
  if (const Outcome why = (*program)->report_of_failure(end); !why.message.empty())
    static_cast<void>(write_all(STDERR_FILENO, "runahead: " + why.message + "\n"));
  spool.set_end(end);
}

void remove_forgotten(const fs::path& folder) {
  constexpr std::chrono::hours kForgotten{24};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with(kName)) continue;
    const Result<Spool> spool = Spool::open(entry.path());
    std::error_code missing;
    const auto changed = fs::last_write_time(entry.path(), missing);  // at the latest when `end` was made
    if (spool && !missing && fs::file_time_type::clock::now() - changed > kForgotten && spool->end())
      spool->remove();
  }
}

}  // namespace

Result<Spool> Spool::make() {
  std::error_code none;
  remove_forgotten(fs::temp_directory_path(none));
  const Result<fs::path> folder = make_scratch_folder(kName);
  if (!folder) return folder.error();
  return Spool(*folder);
}

Result<Spool> Spool::open(const fs::path& folder) {
  struct stat facts {};
  const bool ours = folder.filename().string().starts_with(kName) && ::lstat(folder.c_str(), &facts) == 0 &&
                    S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
  if (!ours)
    return Error{"folder '" + folder.string() +
                 "': the program's recording is gone; the machine may have been restarted"};
  return Spool(folder);
}

FileDescriptor Spool::lock_running() const {
  FileDescriptor file(::open((folder_ / "running").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  static_cast<void>(::flock(file.get(), LOCK_EX));
  return file;
}

void Spool::set_end(const ChildEnd& end) const {
  replace_file(folder_ / "end", std::to_string(end.exit_code) + " " + std::to_string(end.signal));
}

std::optional<ChildEnd> Spool::end() const {
  // The order matters: the file `end` is made before the lock is given up.
  const FileDescriptor running(::open((folder_ / "running").c_str(), O_RDONLY | O_CLOEXEC));
  const bool runs = running.valid() && ::flock(running.get(), LOCK_SH | LOCK_NB) != 0;
  ChildEnd end;
  std::ifstream file(folder_ / "end");
  if (file >> end.exit_code >> end.signal) return end;
  if (runs) return std::nullopt;
  return ChildEnd{.exit_code = 1};
}

void Spool::keep() const { replace_file(folder_ / "kept", ""); }

bool Spool::is_kept() const {
  std::error_code none;
  return fs::exists(folder_ / "kept", none);
}

void Spool::remove() const {
  std::error_code none;
  fs::remove_all(folder_, none);
}

std::optional<SpoolTrim::Block> SpoolTrim::next_block(int fd, std::uint64_t size) const {
  char bytes[recordings::kBlockHeaderBytes];
  if (at_ + sizeof bytes > size ||
      ::pread(fd, bytes, sizeof bytes, static_cast<off_t>(at_)) != static_cast<ssize_t>(sizeof bytes))
    return std::nullopt;
  const auto header = recordings::parse_block_header({bytes, sizeof bytes});
  if (!header) return std::nullopt;
  const std::uint64_t payload = at_ + sizeof bytes;
  if (payload + header->stored_bytes > size) return std::nullopt;
  return Block{payload, payload + header->stored_bytes, may_go(static_cast<BlockKind>(header->kind))};
}

void SpoolTrim::trim() {
  const FileDescriptor fd(::open(recording_.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) return;
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  const std::uint64_t size = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  if (at_ == 0) at_ = recordings::kPreambleBytes;
  while (used_bytes(fd.get()) > limit_bytes_) {
    const std::optional<Block> block = next_block(fd.get(), size);
    if (!block) return;
    // Whole pages can be freed. A block may be smaller, so the blocks that follow each other are freed
    // together.
    if (!block->may_go) run_ = 0;
    if (block->may_go && run_ == 0) run_ = block->payload;
    if (block->may_go) free_pages(fd.get(), run_, block->end);
    if (block->may_go) run_ = std::max(run_, block->end / kPage * kPage);
    at_ = block->end;
  }
}

Status start_in_spool(const Spool& spool, const std::vector<std::string>& words, std::uint64_t limit_bytes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{"pipe: cannot be made: " + system_error_text(errno)};
  const FileDescriptor said(ends[0]);
  FileDescriptor started(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return Error{"'" + words[0] + "': cannot be started: " + system_error_text(errno)};
  if (child == 0) {
    run_beside(spool, words, limit_bytes, started);
    ::_exit(0);
  }
  started.reset();
  std::string line;
  char byte = 0;
  while (::read(said.get(), &byte, 1) == 1 && byte != '\n') line += byte;
  if (byte != '\n') return Error{"'" + words[0] + "': cannot be started"};
  if (!line.empty()) return Error{line};
  return Ok{};
}

}  // namespace runahead::gui
