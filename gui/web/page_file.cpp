#include "gui/web/page_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>

#include "instrumentation/files/base64.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::gui {

#ifdef RUNAHEAD_HAVE_ZLIB

namespace {

// Packs bytes by deflate (without a header) and base64, and writes them to a page.
class Packer {
 public:
  explicit Packer(PageFile& page) : page_(page) {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      page.fail(Error{"the page needs more memory than there is"});
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { deflateEnd(&stream_); }

  void add(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }
  void finish() {
    run({}, Z_FINISH);
    put_base64(true);
  }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 1u << 16> out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = out.size();
      deflate(&stream_, flush);
      packed_.append(out.data(), out.size() - stream_.avail_out);
      put_base64(false);
    } while (stream_.avail_out == 0 && page_.status());
  }

  // Base64 has a text for three bytes, so one or two bytes wait for the next ones.
  void put_base64(bool last) {
    const std::size_t whole = last ? packed_.size() : packed_.size() / 3 * 3;
    std::string text;
    files::append_base64(text, std::string_view(packed_).substr(0, whole));
    packed_.erase(0, whole);
    page_.write(text);
  }

  PageFile& page_;
  z_stream stream_{};
  std::string packed_;
};

void each_chunk(PageFile& page, files::ByteSource& bytes, const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kChunk = 1u << 20;
  for (std::uint64_t at = 0; at < bytes.size() && page.status(); at += kChunk) {
    const std::string_view chunk = bytes.view(at, kChunk);
    if (chunk.size() < std::min<std::uint64_t>(kChunk, bytes.size() - at))
      page.fail(Error{"the page cannot read what was written beside it"});
    take(chunk);
  }
}

}  // namespace

void pack_into(PageFile& page, files::ByteSource& bytes) {
  Packer packer(page);
  each_chunk(page, bytes, [&packer](std::string_view chunk) { packer.add(chunk); });
  packer.finish();
}

void copy_into(PageFile& page, files::ByteSource& bytes) {
  each_chunk(page, bytes, [&page](std::string_view chunk) { page.write(chunk); });
}

#endif

void PageFile::write(std::string_view text) {
  if (!status_) return;
  bytes_ += text.size();
  too_large_ = most_bytes_ != 0 && bytes_ > most_bytes_;
  if (too_large_) return fail(Error{"the page is too large"});
  const WriteOutcome outcome = write_all(fd_.get(), text);
  if (outcome.error != 0) status_ = file_error("page", shown_, system_error_text(outcome.error));
}

}  // namespace runahead::gui
