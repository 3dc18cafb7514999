#include "instrumentation/files/byte_source.h"

#include <algorithm>

#include "instrumentation/files/read_at.h"

namespace runahead::files {
namespace {

constexpr std::size_t kWindowBytes = 1u << 20;

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(std::string_view what,
                                                     const std::filesystem::path& path) {
  Result<OpenFile> file = open_regular_file(what, path);
  if (!file) return file.error();
  return std::unique_ptr<FileSource>(new FileSource(std::move(file->fd), file->size));
}

std::string_view FileSource::view(std::uint64_t offset, std::size_t n) {
  if (offset >= size_) return {};
  n = static_cast<std::size_t>(std::min<std::uint64_t>(n, size_ - offset));
  const bool inside = offset >= window_begin_ && offset - window_begin_ <= window_.size() &&
                      n <= window_.size() - (offset - window_begin_);
  if (!inside) {
    window_begin_ = offset;
    const std::uint64_t wanted = std::max(n, kWindowBytes);
    read_at(fd_.get(), offset, static_cast<std::size_t>(std::min(wanted, size_ - offset)), window_);
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(offset - window_begin_), n);
}

}  // namespace runahead::files
