#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "instrumentation/base/check.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/recording/gathered_rows.h"
#include "instrumentation/recording/group_encoder.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_file.h"
#include "instrumentation/recording/recording_index.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using SteadyClock = std::chrono::steady_clock;

// Sealed blocks are collected in `chunk`, and written when they have about this size.
constexpr std::size_t kChunkBytes = 4u << 20;
// The lists of open slices and ops are written with every group while they are short. A long list (100,000
// ops in flight) is only written after at least as many other rows, so that these lists never dominate a
// file.
constexpr std::size_t kShortOpenList = 1024;

}  // namespace

struct RecordingWriter::State {
  std::filesystem::path path, shown;
  WriterOptions options;
  FileDescriptor fd;
  BlockSealer sealer;
  RowSealers chunks;
  GatheredRows gathered;
  SteadyClock::time_point gathered_since{};

  std::uint64_t next_string = 1;  // string 0 is the empty string, which is never written
  bool any_string = false;        // true after the first batch with strings
  std::uint64_t next_args = 1;
  std::size_t rows_since_open = 0;
  bool open_written = false;  // the last written list of open slices and ops was not empty

  std::uint64_t committed = 0;    // length of the file, which has only complete blocks
  std::vector<IndexEntry> index;  // entries of the blocks since the last footer
  std::uint64_t last_footer = 0;
  std::uint64_t blocks_lost = 0;
  bool failed = false, finished = false;

  // Blocks that are sealed but not written yet.
  std::string chunk;
  struct Sealed {
    IndexEntry entry;
    std::uint64_t end;
    std::uint64_t raw_total;
  };
  std::vector<Sealed> sealed;

  std::uint64_t seal(BlockKind kind, const Payload& payload);  // returns its offset
  Status write_chunk();
  Status write_opening();
  Status write_group(bool all);  // all = false: holds back the newest instants: their order may change
  Status write_footers();
  Status finish();
  std::uint64_t write_what_was_lost();
  GroupFacts begin_group(bool last);
  void cut_back(const WriteOutcome& outcome);
  void gather(const Batch& batch);
};

std::uint64_t RecordingWriter::State::seal(BlockKind kind, const Payload& payload) {
  if (!options.opening && is_for_opening(kind)) return 0;
  Sealed block{{committed + chunk.size(), kind, {}}, 0, 0};
  if (has_summary(kind)) {
    const bool readable = decode_summary(payload.bytes, block.entry.rows);
    (void)readable;  // false if a time is out of range; a reader then refuses the block and counts it
  }
  sealer.seal(kind, payload, committed, chunk);
  block.end = committed + chunk.size();
  block.raw_total = sealer.raw_total();
  sealed.push_back(block);
  return block.entry.offset;
}

// After a failed write: keeps the blocks that are complete in the file, and cuts off the rest.
void RecordingWriter::State::cut_back(const WriteOutcome& outcome) {
  const std::uint64_t reached = committed + outcome.written;
  std::uint64_t raw_total = 0;
  for (const Sealed& block : sealed) {
    if (block.end > reached) break;
    committed = block.end;
    raw_total = block.raw_total;
    index.push_back(block.entry);
  }
  blocks_lost += static_cast<std::uint64_t>(std::count_if(
      sealed.begin(), sealed.end(), [&](const Sealed& block) { return block.end > committed; }));
  if (raw_total != 0) sealer.set_raw_total(raw_total);
  if (::ftruncate(fd.get(), static_cast<off_t>(committed)) != 0)
    return;  // a reader skips the incomplete block
  if (::lseek(fd.get(), static_cast<off_t>(committed), SEEK_SET) < 0) return;
}

Status RecordingWriter::State::write_chunk() {
  const WriteOutcome outcome = write_all(fd.get(), chunk);
  if (outcome.error == 0) {
    committed += chunk.size();
    for (const Sealed& block : sealed) {
      if (block.entry.kind != BlockKind::kFooter) index.push_back(block.entry);
    }
  } else {
    cut_back(outcome);
  }
  chunk.clear();
  sealed.clear();
  if (outcome.error == 0) return Ok{};
  failed = true;
  const std::string why = "cannot write: " + system_error_text(outcome.error);
  if (shown != path)
    return file_error("recording", shown, why + "; it was not written (make room, or choose another place)");
  return file_error("recording", shown,
                    why + "; it keeps the " + std::to_string(committed) +
                        " bytes written before, the rest is lost (make room and record again)");
}

// The first string of a source may be the empty string. It is dropped, because every file has the empty
// string already.
void RecordingWriter::State::gather(const Batch& batch) {
  const bool repeats_empty = !any_string && !batch.strings.empty() && batch.strings.front().empty();
  any_string = any_string || !batch.strings.empty();
  gathered.add(batch);
  if (repeats_empty) gathered.drop_first_string();
}

GroupFacts RecordingWriter::State::begin_group(bool last) {
  const Batch& rows = gathered.rows();
  GroupFacts facts{next_string, next_args, false};
  next_string += rows.strings.size();
  next_args += rows.args.size();
  const std::size_t open = rows.open_slices.size() + rows.open_ops.size();
  rows_since_open += gathered.row_count();
  facts.with_open = open == 0 ? open_written : last || open <= kShortOpenList || rows_since_open >= open;
  if (facts.with_open) {
    open_written = open != 0;
    rows_since_open = 0;
  }
  return facts;
}

Status RecordingWriter::State::write_group(bool all) {
  gathered.sort_instants();
  if (!all) gathered.hold_young_instants();
  const GroupFacts facts = begin_group(all);
  Status status = Ok{};
  const std::uint64_t cut =
      encode_group(gathered.rows(), facts, chunks, [&](BlockKind kind, const Payload& payload) {
        if (failed) {
          ++blocks_lost;
          return std::uint64_t{0};
        }
        const std::uint64_t offset = seal(kind, payload);
        if (chunk.size() >= kChunkBytes) status = write_chunk();
        return offset;
      });
  gathered.clear();
  if (!failed && cut != 0) {
    LossCounts losses;
    losses.add(LossCause::kFileWrite, cut);
    seal(BlockKind::kLosses, encode_losses(losses));
  }
  if (!failed) status = write_chunk();
  if (failed) chunks = {};  // not earlier, because encode_group() uses the sealers
  return status;
}

Status RecordingWriter::State::write_opening() {
  Status status = Ok{};
  const auto emit = [&](BlockKind kind, const Payload& payload) {
    if (failed) return std::uint64_t{0};  // no row is lost: the file already has these rows
    const std::uint64_t offset = seal(kind, payload);
    if (chunk.size() >= kChunkBytes) status = write_chunk();
    return offset;
  };
  std::optional<RecordingFile> file;
  const auto read = [&](std::uint64_t offset) {
    if (!file || offset >= file->size()) {  // the block may be sealed but not written yet
      if (!failed) status = write_chunk();
      file.emplace(descriptor_bytes(FileDescriptor(::dup(fd.get())), committed));
    }
    return file->block(offset);
  };
  chunks.finish(emit, read);
  if (!failed) status = write_chunk();  // before the footer, which refers to what has been written
  return status;
}

Status RecordingWriter::State::write_footers() {
  const std::vector<IndexEntry> entries = std::exchange(index, {});
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(kMaxBlockRows, entries.size() - at);
    const std::uint64_t offset = committed + chunk.size();
    seal(BlockKind::kFooter, encode_footer(std::span(entries).subspan(at, n), last_footer));
    last_footer = offset;
    at += n;
  } while (at < entries.size());
  chunk += make_trailer(last_footer);
  return write_chunk();
}

// Called at the end of a recording with a failed write. If the disk has room again, the file then states how
// many of its blocks were lost.
std::uint64_t RecordingWriter::State::write_what_was_lost() {
  failed = false;
  LossCounts losses;
  losses.add(LossCause::kFileWrite, blocks_lost);
  seal(BlockKind::kLosses, encode_losses(losses));
  seal(BlockKind::kCommit, encode_commit(gathered.rows().watermark));
  if (!write_chunk() || !write_footers()) failed = true;
  return losses.of(LossCause::kFileWrite);
}

Status RecordingWriter::State::finish() {
  if (finished) return Ok{};
  finished = true;
  Status status = Ok{};
  if (failed) {
    if (gathered.anything_new()) ++blocks_lost;  // the instants that were held back are lost
    blocks_lost = write_what_was_lost();
  } else {
    gathered.close_open_slices();
    status = write_group(true);
    if (!failed && options.opening) status = write_opening();
    if (!failed) status = write_footers();
  }
  if (::close(fd.release()) != 0 && status) {
    return file_error("recording", shown, "cannot end it: " + system_error_text(errno));
  }
  return status;
}

// ---- the public part -------------------------------------------------------------------------------------

namespace {

// Takes the lock. Returns true if another writer holds it. A program that looks whether the file is being
// written holds a shared lock for a few microseconds, so the lock is tried again for a short time. A file
// system without locks is accepted.
bool is_locked_by_a_writer(int fd) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

Result<FileDescriptor> open_for_recording(const std::filesystem::path& path,
                                          const std::filesystem::path& shown) {
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!fd.valid()) {
    return file_error(
        "recording", shown,
        "cannot write here: " + system_error_text(errno) + "; give a place that can be written");
  }
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return file_error("recording", shown, "is not a regular file; give another name");
  }
  if (is_locked_by_a_writer(fd.get())) {
    return file_error("recording", shown, "is being written by another recorder; give another name");
  }
  return fd;
}

}  // namespace

RecordingWriter::RecordingWriter() : state_(std::make_unique<State>()) {}

Result<std::unique_ptr<RecordingWriter>> RecordingWriter::create(
    const std::filesystem::path& path, const std::map<std::string, std::string>& metadata) {
  return create(path, metadata, WriterOptions{});
}

Result<std::unique_ptr<RecordingWriter>> RecordingWriter::create(
    const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
    const WriterOptions& options) {
  const std::filesystem::path& shown = options.shown_path.empty() ? path : options.shown_path;
  if (!recordings_supported()) {
    return file_error("recording", shown,
                      "cannot be written by this build; install libxxhash-dev and build again");
  }
  if (Status status = check_destination(Destination::kRecording, path); !status) return status.error();
  std::error_code not_there;
  const bool is_new = !std::filesystem::exists(path, not_there);
  Result<FileDescriptor> fd = open_for_recording(path, shown);
  if (!fd) return fd.error();
  if (::ftruncate(fd->get(), 0) != 0) {
    return file_error("recording", shown, "cannot write: " + system_error_text(errno));
  }
  std::unique_ptr<RecordingWriter> writer(new RecordingWriter);
  State& state = *writer->state_;
  state.path = path;
  state.shown = shown;
  state.options = options;
  state.sealer.set_compression(options.compression);
  state.chunks.set_limits(options.limits);
  state.fd = std::move(fd).value();
  state.chunk = make_preamble(kRecordingVersion);
  state.seal(BlockKind::kMetadata, encode_metadata(metadata));
  if (Status status = state.write_chunk(); !status) {
    state.finished = true;
    if (is_new) ::unlink(path.c_str());
    return status.error();
  }
  return writer;
}

void RecordingWriter::set_gather_time(Duration time) { state_->options.gather_time = time; }

Status RecordingWriter::write(const Batch& batch) {
  State& state = *state_;
  RUNAHEAD_CHECK(!state.finished);
  if (state.failed) {
    if (batch.has_rows()) ++state.blocks_lost;
    return Ok{};
  }
  if (!state.gathered.anything_new()) state.gathered_since = SteadyClock::now();
  state.gather(batch);
  if (!state.gathered.anything_new()) return Ok{};
  const bool full = state.gathered.size_bytes() >= state.options.gather_bytes;
  if (!full && SteadyClock::now() - state.gathered_since < state.options.gather_time) return Ok{};
  return state.write_group(false);
}

Status RecordingWriter::add_metadata(const std::map<std::string, std::string>& more) {
  State& state = *state_;
  RUNAHEAD_CHECK(!state.finished);
  if (more.empty()) return Ok{};
  if (state.failed) {
    ++state.blocks_lost;
    return Ok{};
  }
  state.seal(BlockKind::kMetadata, encode_metadata(more));
  return state.write_chunk();
}

Status RecordingWriter::flush() {
  if (state_->failed || state_->finished || !state_->gathered.anything_new()) return Ok{};
  return state_->write_group(true);
}

Status RecordingWriter::finish() { return state_->finish(); }

std::uint64_t RecordingWriter::bytes_written() const { return state_->committed; }
std::uint64_t RecordingWriter::blocks_lost() const { return state_->blocks_lost; }
const std::filesystem::path& RecordingWriter::path() const { return state_->path; }

RecordingWriter::~RecordingWriter() {
  // There is no way to report an error here; call finish() to get it.
  if (!state_->finished && state_->fd.valid()) (void)state_->finish();
}

}  // namespace runahead::recordings
