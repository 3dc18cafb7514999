#include "instrumentation/import/chrome/text_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "instrumentation/files/inflate.h"
#include "instrumentation/import/common/zip.h"

namespace runahead::importers {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Reads an uncompressed part of the source: a plain file, or a stored file in a zip.
class PlainStream final : public TextStream {
 public:
  PlainStream(files::ByteSource& source, std::uint64_t begin, std::uint64_t end, std::string_view container)
      : source_(source), at_(begin), end_(std::min(end, source.size())), container_(container) {
    cut_ = end > source.size();
  }
  std::size_t read(char* out, std::size_t n) override {
    const std::uint64_t left = end_ - std::min(at_, end_);
    const std::string_view bytes =
        source_.view(at_, static_cast<std::size_t>(std::min<std::uint64_t>(n, left)));
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    at_ += bytes.size();
    if (bytes.empty() && left > 0 && n > 0) cut_ = true;  // the file shrank, or the disk failed
    return bytes.size();
  }
  [[nodiscard]] double done() const override {
    return end_ == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(end_);
  }
  [[nodiscard]] bool cut() const override { return cut_; }
  [[nodiscard]] std::string_view container() const override { return container_; }

 private:
  files::ByteSource& source_;
  std::uint64_t at_, end_;
  bool cut_ = false;
  std::string_view container_;
};

class InflateStream final : public TextStream {
 public:
  InflateStream(files::ByteSource& source, std::uint64_t begin, files::Packing packing,
                std::string_view container)
      : source_(source), inflater_(source, begin, packing), container_(container) {}
  std::size_t read(char* out, std::size_t n) override { return inflater_.read(out, n); }
  [[nodiscard]] double done() const override {
    return source_.size() == 0
               ? 1
               : static_cast<double>(inflater_.input_read()) / static_cast<double>(source_.size());
  }
  [[nodiscard]] bool cut() const override { return inflater_.cut(); }
  [[nodiscard]] std::string_view container() const override { return container_; }

 private:
  files::ByteSource& source_;
  files::Inflater inflater_;
  std::string_view container_;
};

// A gzip file inside a zip. Its compressed bytes are in memory.
class GzipInZipStream final : public TextStream {
 public:
  explicit GzipInZipStream(std::string bytes)
      : bytes_(std::move(bytes)), source_(bytes_), gzip_(source_, 0, files::Packing::kGzip, "zip") {}
  std::size_t read(char* out, std::size_t n) override { return gzip_.read(out, n); }
  [[nodiscard]] double done() const override { return gzip_.done(); }
  [[nodiscard]] bool cut() const override { return gzip_.cut(); }
  [[nodiscard]] std::string_view container() const override { return gzip_.container(); }

 private:
  const std::string bytes_;
  files::MemorySource source_;
  InflateStream gzip_;
};

// Null: this build cannot read the compression.
std::unique_ptr<TextStream> open_zip_file(files::ByteSource& source, const ZipFile& file) {
  if (file.method == ZipFile::Method::kStored)
    return std::make_unique<PlainStream>(source, file.begin, file.begin + file.size, "zip");
  if (file.method == ZipFile::Method::kDeflated && files::can_inflate())
    return std::make_unique<InflateStream>(source, file.begin, files::Packing::kDeflate, "zip");
  return nullptr;
}

// Reads up to `n` bytes. The memory grows with the bytes that were read, so a large `n` costs nothing if the
// stream is short.
std::string read_up_to(TextStream& stream, std::size_t n) {
  constexpr std::size_t kAtOnce = 64u << 10;
  std::string out;
  std::size_t size = 0;
  while (size < n) {
    if (size == out.size()) out.resize(std::min(n, size + std::max(size, kAtOnce)));
    const std::size_t got = stream.read(out.data() + size, out.size() - size);
    if (got == 0) break;
    size += got;
  }
  out.resize(size);
  return out;
}

// Says how likely a file in a zip is a trace in JSON, judged by the start of the file.
enum class Likeness : std::uint8_t { kNone, kSomeJson, kTrace };

Likeness likeness(std::string_view start) {
  const std::size_t mark = json_begin(start);
  if (mark == start.npos) return Likeness::kNone;
  const bool events = start.find("\"traceEvents\"") != start.npos || start.find("\"ph\"") != start.npos;
  return events ? Likeness::kTrace : Likeness::kSomeJson;
}

struct ZipCandidate {
  const ZipFile* file = nullptr;
  bool readable = false;
  Likeness likeness = Likeness::kNone;
  bool gzip = false;
};

ZipCandidate candidate_of(files::ByteSource& source, const ZipFile& file) {
  constexpr std::size_t kLookBytes = 64u << 10;  // real files have less text than this before their events
  const std::unique_ptr<TextStream> stream = open_zip_file(source, file);
  if (stream == nullptr) return {&file};
  const std::string start = read_up_to(*stream, kLookBytes);
  if (!files::looks_like_gzip(start) || !files::can_inflate()) return {&file, true, likeness(start)};
  GzipInZipStream gzip(start);
  return {&file, true, likeness(read_up_to(gzip, kLookBytes)), true};
}

Result<std::unique_ptr<TextStream>> open_candidate(files::ByteSource& source, const ZipCandidate& candidate) {
  constexpr std::size_t kMostPackedBytes = 256u << 20;
  std::unique_ptr<TextStream> stream = open_zip_file(source, *candidate.file);
  if (!candidate.gzip) return stream;
  std::string packed = read_up_to(*stream, kMostPackedBytes + 1);
  if (packed.size() > kMostPackedBytes)
    return Error{"is a zip of a compressed file that is too large to be read there; unpack it first"};
  return std::unique_ptr<TextStream>(std::make_unique<GzipInZipStream>(std::move(packed)));
}

// Opens the first file that looks like a trace. If no file does, opens the first file that is JSON.
Result<std::unique_ptr<TextStream>> open_zip(files::ByteSource& source) {
  const std::vector<ZipFile> files = files_of_zip(source);
  if (files.empty()) return Error{"is a zip without a file in it"};
  std::vector<ZipCandidate> candidates;
  bool all_readable = true;
  for (const ZipFile& file : files) {
    const ZipCandidate candidate = candidate_of(source, file);
    all_readable = all_readable && candidate.readable;
    if (candidate.likeness != Likeness::kNone) candidates.push_back(candidate);
  }
  if (candidates.empty()) {
    return Error{all_readable ? "is a zip without a trace in JSON; unpack it and open what is in it"
                              : "is a zip with files packed in a way this build cannot read; unpack it "
                                "first"};
  }
  // Of files with equal likeness, max_element() returns the first.
  const auto best = std::ranges::max_element(candidates, {}, &ZipCandidate::likeness);
  Result<std::unique_ptr<TextStream>> stream = open_candidate(source, *best);
  if (!stream) return stream;
  const auto traces =
      static_cast<std::uint64_t>(std::ranges::count(candidates, Likeness::kTrace, &ZipCandidate::likeness));
  (*stream)->set_picked({best->file->name, traces > 0 ? traces - 1 : 0});
  return stream;
}

}  // namespace

std::size_t json_begin(std::string_view start) {
  const std::size_t from = start.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t at = start.find_first_not_of(" \t\r\n", from);
  const bool begins = at != start.npos && (start[at] == '{' || start[at] == '[');
  return begins ? at : start.npos;
}

Result<std::unique_ptr<TextStream>> open_text_stream(files::ByteSource& source) {
  const std::string start(source.view(0, 4));
  if (looks_like_zip(start)) return open_zip(source);
  if (files::looks_like_gzip(start)) {
    if (!files::can_inflate())
      return Error{"is gzip, which this build cannot read (it was made without zlib); unpack it first"};
    return std::unique_ptr<TextStream>(
        std::make_unique<InflateStream>(source, 0, files::Packing::kGzip, "gzip"));
  }
  return std::unique_ptr<TextStream>(std::make_unique<PlainStream>(source, 0, source.size(), "plain"));
}

}  // namespace runahead::importers
