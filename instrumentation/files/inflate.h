// Decompression of gzip files, zlib streams and raw deflate data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "instrumentation/files/byte_source.h"

namespace runahead::files {

[[nodiscard]] bool looks_like_gzip(std::string_view start);
// True if this build has zlib, so it can decompress.
[[nodiscard]] bool can_inflate();

enum class Packing {
  // One or more gzip members (a member is a complete compressed stream). Bytes after the last member are
  // padding.
  kGzip,
  // gzip or zlib members. The header of each member says which format it has. After a member only another
  // member may follow.
  kGzipOrZlib,
  kDeflate,  // one raw deflate stream
};

// Decompresses a source from front to end. From damaged data, only the bytes before the damage are returned.
class Inflater {
 public:
  // Starts at offset `begin` of `in`. `in` must outlive this object.
  Inflater(ByteSource& in, std::uint64_t begin, Packing packing);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Writes up to `n` bytes to `out`. Returns the number written, 0 at the end.
  [[nodiscard]] std::size_t read(char* out, std::size_t n);
  [[nodiscard]] std::uint64_t input_read() const { return at_; }  // offset of the first unread byte
  // Valid once the input has ended. True: the input ended after a complete member. False: the input was cut
  // off or damaged inside a member.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  struct Zlib;
  void step(char* out, std::size_t room, std::size_t& got);

  ByteSource& in_;
  std::uint64_t at_;
  Packing packing_;
  std::unique_ptr<Zlib> zlib_;  // null: this build has no zlib, or no memory was left
  bool whole_ = false, cut_ = false;
};

struct Inflated {
  bool whole = false;  // false: `input_left` bytes were not read because of damage or the limit
  std::uint64_t input_left = 0;
};
// Appends the decompressed content of `in` (gzip or zlib) to `out`, at most `limit` bytes.
Inflated inflate_all(ByteSource& in, std::size_t limit, std::string& out);
// Returns the first `n` bytes of `in`, or all bytes if there are fewer. If `in` is a gzip file and
// can_inflate() is true, these are decompressed bytes.
[[nodiscard]] std::string plain_start(ByteSource& in, std::size_t n);

}  // namespace runahead::files
