#include "instrumentation/import/common/zip.h"

#include <algorithm>
#include <optional>

namespace runahead::importers {
namespace {

// The signatures and layouts are from section 4.3 of PKWARE's APPNOTE, the specification of zip files.
constexpr std::string_view kLocalMagic("PK\x03\x04", 4), kEntryMagic("PK\x01\x02", 4);
constexpr std::string_view kEndMagic("PK\x05\x06", 4), kEnd64Magic("PK\x06\x06", 4);
constexpr std::string_view kLocator64Magic("PK\x06\x07", 4);
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kLocator64Bytes = 20;
constexpr std::size_t kEnd64Bytes = 56, kMostCommentBytes = 0xffff;
constexpr std::uint64_t kSee64 = 0xffffffff;  // marker: the real value is in the 64-bit extra field
constexpr std::uint64_t kEncrypted = 1, kSizeBehind = 8;
constexpr std::size_t kMostFiles = 1u << 12;  // limit of the files to examine; a zip of traces has only a few

// The little-endian number of `n` bytes at `at`. REQUIRES: the bytes exist.
std::uint64_t zip_number(std::string_view bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

ZipFile::Method method_of(std::uint64_t number, std::uint64_t flags) {
  if ((flags & kEncrypted) != 0) return ZipFile::Method::kOther;
  if (number == 0) return ZipFile::Method::kStored;
  return number == 8 ? ZipFile::Method::kDeflated : ZipFile::Method::kOther;
}

bool is_folder(const ZipFile& file) { return file.name.ends_with('/'); }

struct LocalHeader {
  ZipFile file;
  bool sized = false;
};

std::optional<LocalHeader> local_header(files::ByteSource& source, std::uint64_t at) {
  const std::string header(source.view(at, kLocalBytes));
  if (header.size() < kLocalBytes || !header.starts_with(kLocalMagic)) return std::nullopt;
  const std::uint64_t flags = zip_number(header, 6, 2);
  const auto name_size = static_cast<std::size_t>(zip_number(header, 26, 2));
  LocalHeader out;
  out.file.name = std::string(source.view(at + kLocalBytes, name_size));
  out.file.method = method_of(zip_number(header, 8, 2), flags);
  out.file.begin = at + kLocalBytes + name_size + zip_number(header, 28, 2);
  out.file.size = zip_number(header, 18, 4);
  out.sized = (flags & kSizeBehind) == 0 && out.file.size != kSee64;
  return out;
}

std::vector<ZipFile> files_by_headers(files::ByteSource& source) {
  std::vector<ZipFile> files;
  std::uint64_t at = 0;
  while (files.size() < kMostFiles) {
    std::optional<LocalHeader> header = local_header(source, at);
    if (!header) break;
    ZipFile& file = header->file;
    if (!header->sized) file.size = source.size() - std::min(file.begin, source.size());
    at = file.begin + file.size;
    if (!is_folder(file)) files.push_back(std::move(file));
  }
  return files;
}

struct Directory {
  std::uint64_t begin = 0, size = 0;
};

std::optional<Directory> directory64(files::ByteSource& source, std::uint64_t end_at) {
  if (end_at < kLocator64Bytes) return std::nullopt;
  const std::string locator(source.view(end_at - kLocator64Bytes, kLocator64Bytes));
  if (locator.size() < kLocator64Bytes || !locator.starts_with(kLocator64Magic)) return std::nullopt;
  const std::string end(source.view(zip_number(locator, 8, 8), kEnd64Bytes));
  if (end.size() < kEnd64Bytes || !end.starts_with(kEnd64Magic)) return std::nullopt;
  return Directory{zip_number(end, 48, 8), zip_number(end, 40, 8)};
}

std::optional<Directory> directory_of(files::ByteSource& source) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(source.size(), kEndBytes + kMostCommentBytes);
  const std::uint64_t tail_begin = source.size() - tail_size;
  const std::string tail(source.view(tail_begin, static_cast<std::size_t>(tail_size)));
  const std::size_t at = tail.rfind(kEndMagic);
  if (at == tail.npos || tail.size() - at < kEndBytes) return std::nullopt;
  const Directory found{zip_number(tail, at + 16, 4), zip_number(tail, at + 12, 4)};
  if (found.begin == kSee64 || found.size == kSee64) return directory64(source, tail_begin + at);
  return found;
}

// Reads the 64-bit values in the extra field of a directory entry. Their order is fixed. A value is present
// only if the entry's own field has the marker kSee64.
void take_extra64(std::string_view extra, std::uint64_t plain_size, ZipFile& file, std::uint64_t& header_at) {
  while (extra.size() >= 4) {
    const std::uint64_t id = zip_number(extra, 0, 2);
    std::string_view field = extra.substr(4, static_cast<std::size_t>(zip_number(extra, 2, 2)));
    extra.remove_prefix(4 + field.size());
    if (id != 1) continue;
    const auto take = [&field](std::uint64_t& value) {
      if (field.size() < 8) return;
      value = zip_number(field, 0, 8);
      field.remove_prefix(8);
    };
    if (plain_size == kSee64) take(plain_size);
    if (file.size == kSee64) take(file.size);
    if (header_at == kSee64) take(header_at);
  }
}

std::vector<ZipFile> files_by_directory(files::ByteSource& source, const Directory& directory) {
  std::vector<ZipFile> files;
  std::uint64_t at = directory.begin;
  const std::uint64_t room = source.size() - std::min(at, source.size());
  const std::uint64_t end = at + std::min(directory.size, room);
  while (at < end && files.size() < kMostFiles) {
    const std::string entry(source.view(at, kEntryBytes));
    if (entry.size() < kEntryBytes || !entry.starts_with(kEntryMagic)) break;
    const auto name_size = static_cast<std::size_t>(zip_number(entry, 28, 2));
    const auto extra_size = static_cast<std::size_t>(zip_number(entry, 30, 2));
    ZipFile file;
    file.method = method_of(zip_number(entry, 10, 2), zip_number(entry, 8, 2));
    file.size = zip_number(entry, 20, 4);
    std::uint64_t header_at = zip_number(entry, 42, 4);
    file.name = std::string(source.view(at + kEntryBytes, name_size));
    take_extra64(std::string(source.view(at + kEntryBytes + name_size, extra_size)), zip_number(entry, 24, 4),
                 file, header_at);
    at += kEntryBytes + name_size + extra_size + zip_number(entry, 32, 2);
    if (is_folder(file)) continue;
    file.begin = header_at;
    files.push_back(std::move(file));
  }
  // The local headers of the files are read in a second loop. They are far from the directory in the file,
  // and the source has only one part of the file in memory. So it is slow to read directory and headers
  // alternately.
  std::erase_if(files, [&source](ZipFile& file) {
    const std::optional<LocalHeader> header = local_header(source, file.begin);
    if (header) file.begin = header->file.begin;
    return !header;
  });
  return files;
}

}  // namespace

bool looks_like_zip(std::string_view start) { return start.starts_with(kLocalMagic); }

std::vector<ZipFile> files_of_zip(files::ByteSource& source) {
  if (const std::optional<Directory> directory = directory_of(source)) {
    std::vector<ZipFile> files = files_by_directory(source, *directory);
    if (!files.empty()) return files;
  }
  return files_by_headers(source);
}

}  // namespace runahead::importers
