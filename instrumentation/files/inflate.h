// Compressed bytes back to plain ones: gzip files, zlib's, and the deflated parts of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "instrumentation/files/byte_source.h"

namespace runahead::files {

[[nodiscard]] bool looks_like_gzip(std::string_view start);
// Whether this build can inflate at all (it has zlib).
[[nodiscard]] bool can_inflate();

enum class Packing {
  kGzip,        // members one after the other; what is behind the last one is padding
  kGzipOrZlib,  // the same, told apart by their headers; whatever is behind a member has to be another
  kDeflate,     // bare, one
};

// Reads the plain text of a source from front to end. What is whole before a damaged place is kept.
class Inflater {
 public:
  // From offset `begin` of `in`, which must outlive this.
  Inflater(ByteSource& in, std::uint64_t begin, Packing packing);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Writes up to `n` bytes to `out`; returns how many, 0 at the end.
  [[nodiscard]] std::size_t read(char* out, std::size_t n);
  [[nodiscard]] std::uint64_t input_read() const { return at_; }  // offset of what is not read yet
  // How it ended, once it has: with a whole member, or cut off or damaged within one.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  struct Zlib;
  void step(char* out, std::size_t room, std::size_t& got);

  ByteSource& in_;
  std::uint64_t at_;
  Packing packing_;
  std::unique_ptr<Zlib> zlib_;  // null: this build has none, or no memory
  bool whole_ = false, cut_ = false;
};

struct Inflated {
  bool whole = false;  // false: `input_left` bytes could not be read, for damage or for the limit
  std::uint64_t input_left = 0;
};
// Appends what `in` holds (gzip or zlib) to `out`, at most `limit` bytes of it.
Inflated inflate_all(ByteSource& in, std::size_t limit, std::string& out);
// The first `n` bytes, or fewer, decompressed where they are gzip and this build can inflate.
[[nodiscard]] std::string plain_start(ByteSource& in, std::size_t n);

}  // namespace runahead::files
