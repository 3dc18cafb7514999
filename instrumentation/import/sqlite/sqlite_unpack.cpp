#include "instrumentation/import/sqlite/sqlite_unpack.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "instrumentation/base/format.h"
#include "instrumentation/files/inflate.h"

namespace runahead::importers {
namespace {

constexpr std::size_t kUnpackBytes = 1u << 20;
constexpr std::string_view kInsteadUnpack =
    "; run gunzip on it first, or set TMPDIR to a folder with more space";

Error no_space(const std::filesystem::path& folder, std::uint64_t free_bytes) {
  return Error{"is compressed, and needs more space than there is in " + folder.string() + " (" +
               format_bytes(static_cast<double>(free_bytes)) + ")" + std::string(kInsteadUnpack)};
}

Status unpack(files::ByteSource& in, const recordings::Progress& progress, int fd,
              const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) return Error{"is compressed; the free space in " + folder.string() + " is not known"};
  std::uint64_t left = space.available - space.available / 8;
  files::Inflater inflater(in, 0, files::Packing::kGzip);
  std::string piece(kUnpackBytes, '\0');
  while (const std::size_t got = inflater.read(piece.data(), piece.size())) {
    if (got > left) return no_space(folder, space.available);
    left -= got;
    const WriteOutcome written = write_all(fd, std::string_view(piece).substr(0, got));
    if (written.error == ENOSPC) return no_space(folder, space.available);
    if (written.error != 0)
      return Error{"is compressed, and cannot be decompressed to " + folder.string() + ": " +
                   system_error_text(written.error)};
    if (progress && !progress(0)) return Error{"was not opened: cancelled"};
  }
  if (!inflater.whole())
    return Error{"is a compressed SQLite database that is cut off or damaged; copy it again"};
  return Ok{};
}

}  // namespace

Result<UnpackedFile> UnpackedFile::create(files::ByteSource& in, const recordings::Progress& progress) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    return Error{"is compressed, and there is no folder for temporary files (" + error.message() + ")" +
                 std::string(kInsteadUnpack)};
  std::string name = (folder / "runahead-sqlite-XXXXXX").string();
  const FileDescriptor fd(::mkstemp(name.data()));
  if (!fd.valid())
    return Error{"is compressed, and no file can be made in " + folder.string() + ": " +
                 system_error_text(errno) + std::string(kInsteadUnpack)};
  UnpackedFile file{std::filesystem::path(name)};
  if (const Status unpacked = unpack(in, progress, fd.get(), folder); !unpacked) return unpacked.error();
  return file;
}

UnpackedFile::UnpackedFile(UnpackedFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

UnpackedFile::~UnpackedFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace runahead::importers
