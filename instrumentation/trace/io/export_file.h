// ExportFile: text on its way to a file, plain or gzip, through a temporary name. The first error sticks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/io/posix_file.h"

namespace runahead::trace::io {

class ExportFile {
 public:
  // gzip: compressed; an error where this build has no zlib.
  [[nodiscard]] static Result<std::unique_ptr<ExportFile>> create(const std::filesystem::path& path,
                                                                  bool gzip);
  ~ExportFile();

  // The text not written yet: append to it, and call flush_if_large() now and then.
  std::string& text() { return text_; }
  void flush_if_large() {
    if (text_.size() >= kFlushBytes) flush();
  }
  [[nodiscard]] bool failed() const { return !error_.empty(); }
  // Writes the rest and puts the file in place; the first error of all, if there was one.
  [[nodiscard]] Status commit();

 private:
  static constexpr std::size_t kFlushBytes = 1u << 20;
  struct Gzip;

  ExportFile(TemporaryFile file, std::filesystem::path path);
  void flush();
  void fail(std::string_view why);

  TemporaryFile file_;
  std::filesystem::path path_;
  FileDescriptor fd_;
  std::unique_ptr<Gzip> gzip_;  // null: plain
  std::string text_;
  std::string error_;
};

}  // namespace runahead::trace::io
