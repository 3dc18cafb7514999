// TextStream: the text of a file that may be compressed, read once from front to end. Plain, gzip (also
// several members one after another) and zip (its first file, stored or deflated) are told apart by content.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/io/byte_source.h"

namespace runahead::trace::io {

class TextStream {
 public:
  virtual ~TextStream() = default;
  // Writes up to `n` bytes to `out`; returns how many, 0 at the end. What is damaged ends there.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t n) = 0;
  // The part of the file that has been read, 0..1.
  [[nodiscard]] virtual double done() const = 0;
  // True once the end was reached before the compressed data said so, or the data is damaged.
  [[nodiscard]] virtual bool cut() const { return false; }
  // "plain", "gzip", "zip".
  [[nodiscard]] virtual std::string_view container() const = 0;
};

// A stream over `source`, which must outlive it. An error is a sentence's end for file_error(): a zip without
// a file that can be read, or compression that this build cannot undo.
Result<std::unique_ptr<TextStream>> open_text_stream(ByteSource& source);

}  // namespace runahead::trace::io
