#include "instrumentation/trace/io/import/inflate.h"

#include <algorithm>
#include <array>

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::trace::io {

bool looks_like_gzip(std::string_view start) { return start.starts_with("\x1f\x8b"); }

#ifdef RUNAHEAD_HAVE_ZLIB
namespace {

constexpr std::size_t kChunkBytes = 64u << 10;

class Stream {
 public:
  // 32: tells gzip from zlib by the header.
  Stream() { ok_ = ::inflateInit2(&z_, 15 + 32) == Z_OK; }
  ~Stream() {
    if (ok_) ::inflateEnd(&z_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  struct Step {
    std::size_t used = 0;
    bool ended = false, failed = false;
  };
  // Takes some of `in`, appends what that gives.
  Step take(std::string_view in, std::size_t room, std::string& out) {
    std::array<char, kChunkBytes> plain;
    // zlib's interface is not const, but reads its input alone.
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z_.avail_in = static_cast<uInt>(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(plain.data());
    z_.avail_out = static_cast<uInt>(std::min(room, plain.size()));
    const std::size_t asked = z_.avail_out;
    const int result = ok_ ? ::inflate(&z_, Z_NO_FLUSH) : Z_MEM_ERROR;
    const std::size_t got = asked - z_.avail_out, used = in.size() - z_.avail_in;
    out.append(plain.data(), got);
    const bool stuck = got == 0 && used == 0;
    return {used, result == Z_STREAM_END,
            (result != Z_OK && result != Z_STREAM_END) || (stuck && result != Z_STREAM_END)};
  }
  bool restart() { return ::inflateReset(&z_) == Z_OK; }

 private:
  z_stream z_{};
  bool ok_ = false;
};

}  // namespace

bool can_inflate() { return true; }

Inflated inflate_all(ByteSource& in, std::size_t limit, std::string& out) {
  Stream stream;
  std::uint64_t offset = 0;
  bool between = false;  // at the border of two members
  const std::size_t most = out.size() + limit;
  while (true) {
    const std::string_view chunk = in.view(offset, kChunkBytes);
    if (chunk.empty()) return {between && offset == in.size(), in.size() - std::min(offset, in.size())};
    if (out.size() == most) return {false, in.size() - offset};
    const Stream::Step step = stream.take(chunk, most - out.size(), out);
    offset += step.used;
    if (step.failed) return {false, std::max<std::uint64_t>(in.size() - offset, 1)};
    between = step.ended;
    if (step.ended && !stream.restart()) return {false, in.size() - offset};
  }
}
#else
bool can_inflate() { return false; }
Inflated inflate_all(ByteSource& in, std::size_t, std::string&) { return {false, in.size()}; }
#endif

}  // namespace runahead::trace::io
