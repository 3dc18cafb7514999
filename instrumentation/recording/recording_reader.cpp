#include <algorithm>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/block_scanner.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_assembler.h"
#include "instrumentation/recording/recording_file.h"

namespace runahead::recordings {
using namespace trace;
namespace {

constexpr std::uint64_t kProgressBytes = 1u << 20;

// Reads blocks one after another and skips damaged ones.
class RecordingReader {
 public:
  RecordingReader(files::ByteSource& source, std::filesystem::path name)
      : source_(source), name_(std::move(name)), scanner_(source) {}

  Result<Trace> read(const Progress& progress);
  // Call it after read(). True if no byte is damaged and the writer finished.
  [[nodiscard]] bool whole() const {
    return !preamble_damaged_ && scanner_.damaged().empty() && scanner_.ended();
  }

 private:
  [[nodiscard]] Error error(std::string_view why) const { return file_error("recording", name_, why); }
  [[nodiscard]] Status check_preamble();
  [[nodiscard]] Status check_damaged_preamble(std::string_view why);
  // False: the payload is damaged.
  [[nodiscard]] bool take_block(const ScannedBlock& block);
  [[nodiscard]] bool keep_going(std::uint64_t offset, const Progress& progress);
  [[nodiscard]] Trace finish();

  files::ByteSource& source_;
  std::filesystem::path name_;
  BlockScanner scanner_;
  bool preamble_damaged_ = false;
  std::uint64_t raw_total_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t reported_ = 0;
  BlockOpener opener_;
  RecordingAssembler assembler_;
};

// If an undamaged block follows the damaged preamble, the file is a recording and can be read.
Status RecordingReader::check_damaged_preamble(std::string_view why) {
  preamble_damaged_ = source_.size() >= kPreambleBytes && scanner_.block_behind_preamble();
  if (!preamble_damaged_) return error(why);
  return Ok{};
}

Status RecordingReader::check_preamble() {
  if (Status status = check_build(name_); !status) return status;
  if (source_.size() == 0) return error("is empty");
  const std::string_view preamble = source_.view(0, kPreambleBytes);
  const std::size_t common = std::min(preamble.size(), kFileMagic.size());
  if (preamble.substr(0, common) != kFileMagic.substr(0, common)) {
    return check_damaged_preamble("is not a recording (it does not begin with 'RUNAHEAD')");
  }
  if (preamble.size() < kPreambleBytes)
    return error("was cut off in its first bytes; nothing in it can be read");
  const std::optional<std::uint32_t> version = preamble_version(preamble);
  if (!version) return check_damaged_preamble("is damaged in its first bytes; it cannot be read");
  return check_version(*version, name_);
}

bool RecordingReader::take_block(const ScannedBlock& block) {
  const BlockHeader& header = block.header;
  if (raw_total_ + header.raw_bytes > raw_bytes_allowed(block.end)) return false;
  raw_total_ += header.raw_bytes;
  if (!BlockOpener::can_decode(header.codec)) {
    assembler_.add_unknown_block();
  } else {
    const std::optional<std::string_view> payload = opener_.open(header, block.stored);
    if (!payload) return false;
    assembler_.add(static_cast<BlockKind>(header.kind), *payload, block.end);
  }
  ++blocks_;
  return true;
}

bool RecordingReader::keep_going(std::uint64_t offset, const Progress& progress) {
  if (!progress || offset - reported_ < kProgressBytes) return true;
  reported_ = offset;
  return progress(static_cast<double>(offset) / static_cast<double>(source_.size()));
}

Trace RecordingReader::finish() {
  Trace trace = assembler_.finish(scanner_.ended());
  const std::uint64_t damaged = scanner_.damaged_bytes() + (preamble_damaged_ ? kPreambleBytes : 0);
  if (damaged > 0) trace.add_loss(LossCause::kFileDamaged, damaged);
  if (scanner_.cut_bytes() > 0) trace.add_loss(LossCause::kFileTruncated, scanner_.cut_bytes());
  trace.set_metadata("format", "runahead " + std::to_string(kRecordingVersion));
  trace.set_metadata("recording.ended", scanner_.ended() ? "yes" : "no");
  return trace;
}

Result<Trace> RecordingReader::read(const Progress& progress) {
  if (Status status = check_preamble(); !status) return status.error();
  while (const std::optional<ScannedBlock> block = scanner_.next()) {
    const std::uint8_t codec = block->header.codec;
    if (codec == static_cast<std::uint8_t>(Codec::kZstd) && !BlockOpener::can_decode(codec)) {
      return lacks_zstd(name_);
    }
    if (!scanner_.damaged().empty()) assembler_.expect_lost_definitions();
    const std::uint64_t end = block->end;
    if (!take_block(*block)) scanner_.reject_last();
    if (!keep_going(end, progress)) return error("loading was cancelled");
  }
  if (blocks_ == 0) return error("holds no whole block: it was cut off or damaged right after its start");
  Trace trace = finish();
  if (progress) (void)progress(1.0);
  return trace;
}

std::string_view chars_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<Trace> load_recording(const std::filesystem::path& path, const Progress& progress) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("recording", path);
  if (!source) return source.error();
  return RecordingReader(**source, path).read(progress);
}

Result<Trace> read_recording(std::span<const std::byte> bytes, const std::string& name) {
  files::MemorySource source(chars_of(bytes));
  return RecordingReader(source, name).read({});
}

std::optional<Trace> read_whole_recording(std::span<const std::byte> bytes) {
  files::MemorySource source(chars_of(bytes));
  RecordingReader reader(source, "recording");
  Result<Trace> trace = reader.read({});
  if (!trace || !reader.whole()) return std::nullopt;
  return std::move(trace).value();
}

}  // namespace runahead::recordings
