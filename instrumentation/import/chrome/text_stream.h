// TextStream: the text of a file that may be compressed, read once from front to end. The content decides
// whether the file is plain, gzip (also several members in a row) or zip. Only one file of a zip is read: the
// first file that looks like a trace or, if there is none, the first file that is JSON. In the zip, this file
// may be stored or deflated, and may itself be a gzip file.
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

// Says which file of a zip the text comes from.
struct PickedFile {
  std::string name;          // empty: the source is not a zip
  std::uint64_t others = 0;  // number of other files that look like traces
};

class TextStream {
 public:
  virtual ~TextStream() = default;
  // Writes up to `n` bytes to `out`. Returns the number written, 0 at the end. If the data is damaged,
  // reading ends at the damage.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t n) = 0;
  // The fraction of the file that was read, 0..1.
  [[nodiscard]] virtual double done() const = 0;
  // True if the input ended before the end of the compressed data, or if the data is damaged.
  [[nodiscard]] virtual bool cut() const { return false; }
  // "plain", "gzip", "zip".
  [[nodiscard]] virtual std::string_view container() const = 0;
  [[nodiscard]] const PickedFile& picked() const { return picked_; }
  void set_picked(PickedFile picked) { picked_ = std::move(picked); }

 private:
  PickedFile picked_;
};

// The offset at which JSON begins, after a byte order mark and white space; npos: the text is neither an
// object nor an array.
[[nodiscard]] std::size_t json_begin(std::string_view start);

// Opens a stream over `source`, which must outlive it. The text of an error completes a sentence that
// file_error() begins with the file's name. Errors: a zip without a readable trace, or a compression that
// this build cannot read.
Result<std::unique_ptr<TextStream>> open_text_stream(files::ByteSource& source);

}  // namespace runahead::importers
