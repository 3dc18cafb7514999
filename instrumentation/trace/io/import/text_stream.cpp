#include "instrumentation/trace/io/import/text_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::trace::io {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
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

#ifdef RUNAHEAD_HAVE_ZLIB

class InflateStream final : public TextStream {
 public:
  // window_bits as zlib has them: 15 + 16 gzip, -15 raw deflate.
  InflateStream(ByteSource& source, std::uint64_t begin, int window_bits, std::string_view container)
      : source_(source), at_(begin), gzip_(window_bits > 15), container_(container) {
    ok_ = inflateInit2(&zlib_, window_bits) == Z_OK;
    cut_ = !ok_;
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  ~InflateStream() override { inflateEnd(&zlib_); }

  std::size_t read(char* out, std::size_t n) override {
    zlib_.next_out = reinterpret_cast<Bytef*>(out);
    zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(n, 1u << 30));
    const uInt room = zlib_.avail_out;
    while (ok_ && zlib_.avail_out == room) step();
    return room - zlib_.avail_out;
  }
  [[nodiscard]] double done() const override {
    return source_.size() == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(source_.size());
  }
  [[nodiscard]] bool cut() const override { return cut_; }
  [[nodiscard]] std::string_view container() const override { return container_; }

 private:
  void step() {
    // Viewed anew each time: the window of the source may have moved.
    const std::string_view in = source_.view(at_, kReadBytes);
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib only reads it
    zlib_.avail_in = static_cast<uInt>(in.size());
    const int outcome = inflate(&zlib_, Z_NO_FLUSH);
    at_ += in.size() - zlib_.avail_in;
    if (outcome == Z_STREAM_END) {
      // gzip files may be several, one after another; anything else behind the end is padding.
      ok_ = gzip_ && source_.view(at_, kGzipMagic.size()) == kGzipMagic && inflateReset(&zlib_) == Z_OK;
    } else if (outcome != Z_OK && (outcome != Z_BUF_ERROR || in.empty())) {
      ok_ = false;
      cut_ = true;
    }
  }

  ByteSource& source_;
  std::uint64_t at_;
  bool gzip_, ok_ = true, cut_ = false;
  std::string_view container_;
  z_stream zlib_{};
};

#endif

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
#ifdef RUNAHEAD_HAVE_ZLIB
  if (member.method == 8) {
    return std::unique_ptr<TextStream>(
        std::make_unique<InflateStream>(source, member.data_begin, -15, "zip"));
  }
#endif
  return Error{"is a zip whose file is packed in a way this build cannot read; unpack it first"};
}

}  // namespace

Result<std::unique_ptr<TextStream>> open_text_stream(ByteSource& source) {
  const std::string start(source.view(0, 4));
  if (start.starts_with(kZipMagic)) return open_zip(source);
  if (start.starts_with(kGzipMagic)) {
#ifdef RUNAHEAD_HAVE_ZLIB
    return std::unique_ptr<TextStream>(std::make_unique<InflateStream>(source, 0, 15 + 16, "gzip"));
#else
    return Error{"is gzip, which this build cannot read (it was made without zlib); unpack it first"};
#endif
  }
  return std::unique_ptr<TextStream>(std::make_unique<PlainStream>(source, 0, source.size(), "plain"));
}

}  // namespace runahead::trace::io
