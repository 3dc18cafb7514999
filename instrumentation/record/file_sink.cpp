#include "instrumentation/record/file_sink.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/record/batch_queue.h"
#include "instrumentation/record/files/file_names.h"

namespace runahead::record {
namespace {
// The smallest value for WriterOptions::gather_bytes. The writer collects rows up to this size and compresses
// them together; smaller groups compress badly.
constexpr std::uint64_t kLeastGathered = 64 << 10;
}  // namespace

FileSink::FileSink() = default;
FileSink::~FileSink() = default;

Status FileSink::start(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                       const trace::Batch& definitions, const FileLimits& limits) {
  if (open_part_) {
    return Error{"recording '" + path.string() + "': not started, as '" + path_.string() +
                 "' is being recorded; stop that first"};
  }
  if (Status possible = check_destination(Destination::kRecording, path); !possible) return possible;
  path_ = path;
  metadata_ = metadata;
  limits_ = limits;
  next_number_ = limits.part().none() ? 0 : last_part_number(path) + 1;
  last_watermark_.reset();
  evicted_ = {};
  first_error_.reset();
  Result<OpenPart> first = begin_part(definitions);
  if (!first) return first.error();
  go_on_in(std::move(*first));
  open_.store(true, std::memory_order_relaxed);
  return Ok{};
}

Result<FileSink::OpenPart> FileSink::begin_part(const trace::Batch& definitions) const {
  const std::filesystem::path path = next_number_ == 0 ? path_ : part_name(path_, next_number_);
  recordings::WriterOptions options;
  options.gather_time = gather_time_;
  // A part becomes full only when a group of rows is written. A group is at most an eighth of a part (but at
  // least kLeastGathered), so that a part does not become much larger than its limit.
  if (const std::uint64_t bytes = limits_.part().bytes; bytes != 0) {
    options.gather_bytes = std::clamp<std::uint64_t>(bytes / 8, kLeastGathered, options.gather_bytes);
  }
  auto writer = recordings::RecordingWriter::create(path, metadata_, options);
  if (!writer) return writer.error();
  if (Status written = (*writer)->write(definitions); !written) return written.error();
  return OpenPart{.part = {.path = path, .begin = last_watermark_.value_or(Timestamp{})},
                  .writer = std::move(*writer)};
}

void FileSink::set_gather_time(Duration time) {
  gather_time_ = time;
  if (open_part_) open_part_->writer->set_gather_time(time);
}

void FileSink::go_on_in(OpenPart part) {
  open_part_ = std::move(part);
  if (next_number_ != 0) ++next_number_;
  full_ = limits_.part();
  show_bytes();
}

std::uint64_t FileSink::write(const trace::Batch& batch) {
  if (!open_part_) return 0;
  note(open_part_->writer->write(batch));
  Part& part = open_part_->part;
  part.rows += count_rows(batch);
  part.losses.add(batch.losses);
  part.open = batch.open_slices;
  part.bytes = open_part_->writer->bytes_written();
  if (!last_watermark_) part.begin = batch.watermark;
  last_watermark_ = std::max(last_watermark_.value_or(batch.watermark), batch.watermark);
  while (rest_is_enough()) remove_oldest();
  show_bytes();
  return more_blocks_lost(*open_part_);
}

void FileSink::add_metadata(const std::map<std::string, std::string>& more) {
  if (!open_part_) return;
  for (const auto& [key, value] : more) metadata_[key] = value;
  note(open_part_->writer->add_metadata(more));
  show_bytes();
}

bool FileSink::part_is_full() const {
  if (!open_part_ || full_.none()) return false;
  const Part& part = open_part_->part;
  // With a time limit, a part without rows is never full, so a program that records nothing makes no new
  // files.
  return full_.bytes != 0 ? part.bytes >= full_.bytes
                          : part.rows != 0 && *last_watermark_ - part.begin >= full_.time;
}

std::uint64_t FileSink::next_part(const trace::Batch& definitions) {
  // Flushes first: if the process is killed while the next file is made, no rows are lost.
  note(open_part_->writer->flush());
  Result<OpenPart> next = begin_part(definitions);
  if (!next) {
    note(next.error());
    full_.bytes += limits_.part().bytes;  // retry only after this much more data
    full_.time += limits_.part().time;
    return 0;
  }
  const std::uint64_t lost = end_part();
  go_on_in(std::move(*next));
  return lost;
}

std::uint64_t FileSink::end_part() {
  note(open_part_->writer->finish());
  const std::uint64_t lost = more_blocks_lost(*open_part_);
  Part& part = open_part_->part;
  part.bytes = open_part_->writer->bytes_written();
  // without keep_last the parts are never joined, and only a join needs the list of open slices
  if (limits_.keep_last.none()) part.open.clear();
  ended_bytes_ += part.bytes;
  ended_.push_back(std::move(part));
  open_part_.reset();
  return lost;
}

bool FileSink::rest_is_enough() const {
  if (limits_.keep_last.none() || ended_.empty()) return false;
  const Part& now = open_part_->part;
  const Amount& wanted = limits_.keep_last;
  if (wanted.bytes != 0) return ended_bytes_ - ended_.front().bytes + now.bytes >= wanted.bytes;
  return *last_watermark_ - (ended_.size() > 1 ? ended_[1] : now).begin >= wanted.time;
}

void FileSink::remove_oldest() {
  const Part& oldest = ended_.front();
  std::error_code failed;
  std::filesystem::remove(oldest.path, failed);
  if (failed) note(Error{"recording '" + oldest.path.string() + "': cannot be removed: " + failed.message()});
  evicted_.add(oldest.losses);
  evicted_.add(trace::LossCause::kEvicted, oldest.rows);
  ended_bytes_ -= oldest.bytes;
  ended_.pop_front();
}

EndedFile FileSink::stop() {
  EndedFile ended;
  if (!open_part_) {
    ended.status = Error{"recording: nothing is being recorded; start one first"};
    return ended;
  }
  end_part();
  show_bytes();
  open_.store(false, std::memory_order_relaxed);
  if (first_error_) ended.status = *first_error_;
  if (!limits_.keep_last.none()) ended.join_into = path_;
  ended.evicted = evicted_;
  ended_.back().open.clear();  // no part follows, so no join needs these slices
  for (Part& part : ended_) {
    ended.files.push_back(part.path);
    ended.parts.push_back({std::move(part.path), std::move(part.open)});
  }
  ended_.clear();
  ended_bytes_ = 0;
  return ended;
}

void FileSink::note(const Status& status) {
  if (!status && !first_error_) first_error_ = status.error();
}

std::uint64_t FileSink::more_blocks_lost(OpenPart& part) {
  const std::uint64_t lost = part.writer->blocks_lost();
  return lost - std::exchange(part.blocks_lost, lost);
}

void FileSink::show_bytes() {
  bytes_.store(ended_bytes_ + (open_part_ ? open_part_->writer->bytes_written() : 0),
               std::memory_order_relaxed);
}

Status settle(EndedFile& ended, const recordings::Progress& progress) {
  if (ended.join_into.empty()) return ended.status;
  const bool as_it_is = ended.parts.size() == 1 && ended.evicted.none();
  std::error_code failed;
  if (as_it_is) std::filesystem::rename(ended.files.front(), ended.join_into, failed);
  Status joined = Ok{};
  if (failed) {
    joined =
        Error{"recording '" + ended.join_into.string() + "': cannot be put in place: " + failed.message()};
  } else if (!as_it_is) {
    joined = recordings::join_recordings(ended.parts, ended.join_into, ended.evicted, progress);
  }
  if (!joined) {
    const std::string kept = "; all is in '" + ended.files.front().string() + "'" +
                             (ended.files.size() > 1 ? " and the files numbered after it" : "");
    return ended.status ? Error{joined.error().message + kept} : ended.status;
  }
  if (!as_it_is) {
    for (const std::filesystem::path& part : ended.files) std::filesystem::remove(part, failed);
  }
  ended.files = {ended.join_into};
  return ended.status;
}

}  // namespace runahead::record
