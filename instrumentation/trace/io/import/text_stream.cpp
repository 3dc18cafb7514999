#include "instrumentation/trace/io/import/text_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "instrumentation/trace/io/import/inflate.h"

namespace runahead::trace::io {
namespace {

constexpr std::string_view kZipMagic("PK\x03\x04", 4);

// A stretch of the source as it is.
class PlainStream final : public TextStream {
 public:
  PlainStream(ByteSource& source, std::uint64_t begin, std::uint64_t end, std::string_view container)
      : source_(source), at_(begin), end_(std::min(end, source.size())), container_(container) {
    cut_ = end > source.size();
  }
  std::size_t read(char* out, std::size_t n) override {
    const std::uint64_t left = end_ - std::min(at_, end_);
    const std::string_view bytes =
        source_.view(at_, static_cast<std::size_t>(std::min<std::uint64_t>(n, left)));
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    at_ += bytes.size();
    if (bytes.empty() && left > 0 && n > 0) cut_ = true;  // it shrank, or the disk failed
    return bytes.size();
  }
  [[nodiscard]] double done() const override {
    return end_ == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(end_);
  }
  [[nodiscard]] bool cut() const override { return cut_; }
  [[nodiscard]] std::string_view container() const override { return container_; }

 private:
  ByteSource& source_;
  std::uint64_t at_, end_;
  bool cut_ = false;
  std::string_view container_;
};

class InflateStream final : public TextStream {
 public:
  InflateStream(ByteSource& source, std::uint64_t begin, Packing packing, std::string_view container)
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
  ByteSource& source_;
  Inflater inflater_;
  std::string_view container_;
};

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

struct ZipMember {
  std::uint64_t data_begin = 0, size = 0;
  std::uint64_t method = 0;
  bool directory = false, sized = false;
};

// The local header at `at`: 30 bytes, then the name and the extra field.
bool read_zip_header(ByteSource& source, std::uint64_t at, ZipMember& out) {
  const std::string header(source.view(at, 30));
  if (header.size() < 30 || !header.starts_with(kZipMagic)) return false;
  const std::uint64_t name_size = little(header, 26, 2), extra_size = little(header, 28, 2);
  const std::string name(source.view(at + 30, static_cast<std::size_t>(name_size)));
  out.method = little(header, 8, 2);
  out.size = little(header, 18, 4);
  out.sized = (little(header, 6, 2) & 8) == 0 && out.size != 0xffffffff;  // bit 3: said behind the data
  out.data_begin = at + 30 + name_size + extra_size;
  out.directory = name.ends_with('/');
  return true;
}

Result<std::unique_ptr<TextStream>> open_zip(ByteSource& source) {
  ZipMember member;
  std::uint64_t at = 0;
  while (read_zip_header(source, at, member) && member.directory) at = member.data_begin + member.size;
  if (member.data_begin == 0 || member.directory) return Error{"is a zip without a file in it"};
  if (member.method == 0) {
    const std::uint64_t end = member.sized ? member.data_begin + member.size : source.size();
    return std::unique_ptr<TextStream>(std::make_unique<PlainStream>(source, member.data_begin, end, "zip"));
  }
  if (member.method == 8 && can_inflate()) {
    return std::unique_ptr<TextStream>(
        std::make_unique<InflateStream>(source, member.data_begin, Packing::kDeflate, "zip"));
  }
  return Error{"is a zip whose file is packed in a way this build cannot read; unpack it first"};
}

}  // namespace

Result<std::unique_ptr<TextStream>> open_text_stream(ByteSource& source) {
  const std::string start(source.view(0, 4));
  if (start.starts_with(kZipMagic)) return open_zip(source);
  if (looks_like_gzip(start)) {
    if (!can_inflate())
      return Error{"is gzip, which this build cannot read (it was made without zlib); unpack it first"};
    return std::unique_ptr<TextStream>(std::make_unique<InflateStream>(source, 0, Packing::kGzip, "gzip"));
  }
  return std::unique_ptr<TextStream>(std::make_unique<PlainStream>(source, 0, source.size(), "plain"));
}

}  // namespace runahead::trace::io
