// TextStream: the text of a file that may be compressed, read once from front to end. Plain, gzip (also
// several members one after another) and zip are told apart by content. Of a zip one file is read, stored or
// deflated, or gzip again: the first that looks like a trace, else the first that is JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

// Which file of several the text is of.
struct PickedFile {
  std::string name;          // empty: there is only the one
  std::uint64_t others = 0;  // that look like traces as well
};

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
  [[nodiscard]] const PickedFile& picked() const { return picked_; }
  void set_picked(PickedFile picked) { picked_ = std::move(picked); }

 private:
  PickedFile picked_;
};

// Where JSON begins, behind a byte order mark and white space; npos: `start` is no object and no array.
[[nodiscard]] std::size_t json_begin(std::string_view start);

// A stream over `source`, which must outlive it. An error is a sentence's end for file_error(): a zip without
// a trace that can be read, or compression that this build cannot undo.
Result<std::unique_ptr<TextStream>> open_text_stream(files::ByteSource& source);

}  // namespace runahead::importers
