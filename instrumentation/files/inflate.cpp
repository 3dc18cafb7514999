#include "instrumentation/files/inflate.h"

#include <algorithm>
#include <array>

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::files {
namespace {

constexpr std::size_t kReadBytes = 256u << 10, kPlainBytes = 64u << 10;

}  // namespace

bool looks_like_gzip(std::string_view start) { return start.starts_with("\x1f\x8b"); }

#ifdef RUNAHEAD_HAVE_ZLIB

bool can_inflate() { return true; }

struct Inflater::Zlib {
  z_stream stream{};
  ~Zlib() { ::inflateEnd(&stream); }
};

Inflater::Inflater(ByteSource& in, std::uint64_t begin, Packing packing)
    : in_(in), at_(begin), packing_(packing), zlib_(std::make_unique<Zlib>()) {
  // zlib's convention for the window bits (15): + 16 means gzip, + 32 means gzip or zlib, a negative number
  // means raw deflate.
  const int bits = packing == Packing::kDeflate ? -15 : packing == Packing::kGzip ? 15 + 16 : 15 + 32;
  cut_ = ::inflateInit2(&zlib_->stream, bits) != Z_OK;
}

void Inflater::step(char* out, std::size_t room, std::size_t& got) {
  z_stream& z = zlib_->stream;
  // View the source again in each step: its window may have moved.
  const std::string_view in = in_.view(at_, kReadBytes);
  // zlib does not change the input, so the const_cast is safe
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out);
  const auto asked = static_cast<uInt>(std::min<std::size_t>(room, 1u << 30));
  z.avail_out = asked;
  const int outcome = ::inflate(&z, Z_NO_FLUSH);
  got = asked - z.avail_out;
  at_ += in.size() - z.avail_in;
  if (outcome == Z_STREAM_END) {
    const std::string_view next = in_.view(at_, 2);
    const bool more = packing_ == Packing::kGzip         ? looks_like_gzip(next)
                      : packing_ == Packing::kGzipOrZlib ? !next.empty()
                                                         : false;
    whole_ = !more;
    cut_ = more && ::inflateReset(&z) != Z_OK;
  } else if (outcome != Z_OK && (outcome != Z_BUF_ERROR || in.empty())) {
    cut_ = true;
  }
}

#else

bool can_inflate() { return false; }
struct Inflater::Zlib {};
Inflater::Inflater(ByteSource& in, std::uint64_t begin, Packing packing)
    : in_(in), at_(begin), packing_(packing), cut_(true) {}
void Inflater::step(char*, std::size_t, std::size_t&) {}

#endif

Inflater::~Inflater() = default;

std::size_t Inflater::read(char* out, std::size_t n) {
  std::size_t got = 0;
  while (got == 0 && n > 0 && !whole_ && !cut_) step(out, n, got);
  return got;
}

Inflated inflate_all(ByteSource& in, std::size_t limit, std::string& out) {
  Inflater inflater(in, 0, Packing::kGzipOrZlib);
  std::array<char, kPlainBytes> plain;
  while (limit > 0) {
    const std::size_t got = inflater.read(plain.data(), std::min(plain.size(), limit));
    if (got == 0) break;
    out.append(plain.data(), got);
    limit -= got;
  }
  const std::uint64_t left = in.size() - std::min(inflater.input_read(), in.size());
  if (inflater.whole() && left == 0) return {true, 0};
  return {false, inflater.cut() ? std::max<std::uint64_t>(left, 1) : left};
}

std::string plain_start(ByteSource& in, std::size_t n) {
  const std::string start(in.view(0, n));
  if (!looks_like_gzip(start) || !can_inflate()) return start;
  std::string plain;
  inflate_all(in, n, plain);
  return plain;
}

}  // namespace runahead::files
