#include <algorithm>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/byte_source.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/recording_assembler.h"

namespace runahead::trace::io {
namespace {

constexpr std::uint64_t kProgressBytes = 1u << 20;

// Reads blocks one after the other, up to the first that is not whole.
class RecordingReader {
 public:
  RecordingReader(ByteSource& source, std::filesystem::path name) : source_(source), name_(std::move(name)) {}

  Result<Trace> read(const Progress& progress);

 private:
  [[nodiscard]] Error error(std::string_view why) const { return file_error("recording", name_, why); }
  [[nodiscard]] Status check_preamble();
  // The header and the stored payload of the block at offset_; false where no whole block is.
  [[nodiscard]] bool whole_block_here(BlockHeader& header, std::string_view& stored);
  [[nodiscard]] bool trailer_here();
  // False when the payload is damaged after all.
  [[nodiscard]] bool take_block(const BlockHeader& header, std::string_view stored);
  [[nodiscard]] bool keep_going(const Progress& progress);

  ByteSource& source_;
  std::filesystem::path name_;
  std::uint64_t offset_ = kPreambleBytes;
  std::uint64_t raw_total_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t reported_ = 0;
  BlockOpener opener_;
  RecordingAssembler assembler_;
};

Status RecordingReader::check_preamble() {
  if (!recordings_supported())
    return error("cannot be read by this build; install libxxhash-dev and build again");
  if (source_.size() == 0) return error("is empty");
  const std::string_view preamble = source_.view(0, kPreambleBytes);
  const std::size_t common = std::min(preamble.size(), kFileMagic.size());
  if (preamble.substr(0, common) != kFileMagic.substr(0, common)) {
    return error("is not a recording (it does not begin with 'RUNAHEAD')");
  }
  if (preamble.size() < kPreambleBytes)
    return error("was cut off in its first bytes; nothing in it can be read");
  const std::optional<std::uint32_t> version = preamble_version(preamble);
  if (!version || *version == 0) return error("is damaged in its first bytes; it cannot be read");
  if (*version > kRecordingVersion) {
    return error("was written by a newer version of Runahead (format " + std::to_string(*version) +
                 ", this one reads " + std::to_string(kRecordingVersion) + "); update this one to open it");
  }
  return Ok{};
}

bool RecordingReader::whole_block_here(BlockHeader& header, std::string_view& stored) {
  const std::string_view head = source_.view(offset_, kBlockHeaderBytes);
  if (head.size() < kBlockHeaderBytes) return false;
  const std::optional<BlockHeader> parsed = parse_block_header(head);
  if (!parsed || parsed->stored_bytes > source_.size() - offset_ - kBlockHeaderBytes) return false;
  if (parsed->stored_bytes > kMaxBlockRawBytes || parsed->raw_bytes > kMaxBlockRawBytes) return false;
  header = *parsed;
  const std::string_view block = source_.view(offset_, kBlockHeaderBytes + header.stored_bytes);
  if (block.size() < kBlockHeaderBytes + header.stored_bytes) return false;
  stored = block.substr(kBlockHeaderBytes);
  return block_hash_holds(block.substr(0, kBlockHeaderBytes), header, stored);
}

bool RecordingReader::trailer_here() {
  if (source_.size() - offset_ != kTrailerBytes) return false;
  return source_.view(offset_, kTrailerBytes).ends_with(kEndMagic);
}

bool RecordingReader::take_block(const BlockHeader& header, std::string_view stored) {
  const std::uint64_t end = offset_ + kBlockHeaderBytes + header.stored_bytes;
  raw_total_ += header.raw_bytes;
  if (raw_total_ > raw_bytes_allowed(end)) return false;
  if (!BlockOpener::can_decode(header.codec)) {
    assembler_.add_unknown_block();
  } else {
    const std::optional<std::string_view> payload = opener_.open(header, stored);
    if (!payload) return false;
    assembler_.add(static_cast<BlockKind>(header.kind), *payload, end);
  }
  offset_ = end;
  ++blocks_;
  return true;
}

bool RecordingReader::keep_going(const Progress& progress) {
  if (!progress || offset_ - reported_ < kProgressBytes) return true;
  reported_ = offset_;
  return progress(static_cast<double>(offset_) / static_cast<double>(source_.size()));
}

Result<Trace> RecordingReader::read(const Progress& progress) {
  if (Status status = check_preamble(); !status) return status.error();
  BlockHeader header;
  std::string_view stored;
  while (whole_block_here(header, stored)) {
    if (header.codec == static_cast<std::uint8_t>(Codec::kZstd) && !BlockOpener::can_decode(header.codec)) {
      return error("is compressed with zstd, which this build lacks; install libzstd-dev and build again");
    }
    if (!take_block(header, stored)) break;
    if (!keep_going(progress)) return error("loading was cancelled");
  }
  if (blocks_ == 0) return error("holds no whole block: it was cut off or damaged right after its start");
  const bool ended = trailer_here();
  const std::uint64_t rest = ended ? 0 : source_.size() - offset_;
  Trace trace = assembler_.finish(ended);
  if (rest > 0) trace.add_loss(LossCause::kFileTruncated, rest);
  trace.set_metadata("format", "runahead " + std::to_string(kRecordingVersion));
  trace.set_metadata("recording.ended", ended ? "yes" : "no");
  if (progress) (void)progress(1.0);
  return trace;
}

}  // namespace

Result<Trace> load_recording(const std::filesystem::path& path, const Progress& progress) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open("recording", path);
  if (!source) return source.error();
  return RecordingReader(**source, path).read(progress);
}

Result<Trace> read_recording(std::span<const std::byte> bytes, const std::string& name) {
  MemorySource source(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return RecordingReader(source, name).read({});
}

}  // namespace runahead::trace::io
