#include "instrumentation/record/file_sink.h"

#include <utility>

#include "instrumentation/trace/io/recording.h"

namespace runahead::record {

FileSink::FileSink() = default;
FileSink::~FileSink() = default;

Status FileSink::start(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                       const trace::Batch& definitions) {
  if (writer_ != nullptr) {
    return Error{"recording '" + path.string() + "': not started, as '" + writer_->path().string() +
                 "' is being recorded; stop that first"};
  }
  auto writer = trace::io::RecordingWriter::create(path, metadata);
  if (!writer.ok()) return writer.error();
  if (Status written = (*writer)->write(definitions); !written.ok()) return written.error();
  writer_ = std::move(*writer);
  first_error_.reset();
  blocks_lost_ = 0;
  bytes_.store(writer_->bytes_written(), std::memory_order_relaxed);
  open_.store(true, std::memory_order_relaxed);
  return Ok{};
}

std::uint64_t FileSink::write(const trace::Batch& batch) {
  if (writer_ == nullptr) return 0;
  const Status written = writer_->write(batch);
  if (!written.ok() && !first_error_) first_error_ = written.error();
  bytes_.store(writer_->bytes_written(), std::memory_order_relaxed);
  const std::uint64_t lost = writer_->blocks_lost();
  return lost - std::exchange(blocks_lost_, lost);
}

Status FileSink::stop() {
  if (writer_ == nullptr) return Error{"recording: nothing is being recorded; start one first"};
  const Status finished = writer_->finish();
  bytes_.store(writer_->bytes_written(), std::memory_order_relaxed);
  writer_.reset();
  open_.store(false, std::memory_order_relaxed);
  if (first_error_) return *std::exchange(first_error_, std::nullopt);
  return finished;
}

}  // namespace runahead::record
