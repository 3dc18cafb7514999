#include "instrumentation/import/sqlite/sqlite_import.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/files/inflate.h"
#include "instrumentation/import/sqlite/nsys_import.h"
#include "instrumentation/import/sqlite/rocpd_import.h"
#include "instrumentation/import/sqlite/rpd_import.h"
#include "instrumentation/import/sqlite/sqlite_database.h"
#include "instrumentation/import/sqlite/sqlite_unpack.h"

namespace runahead::importers {
using namespace trace;
namespace {

// Bytes of the header of a SQLite file, and their offsets.
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageSizeAt = 16, kReadVersionAt = 19, kPageCountAt = 28;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

// Returns what the header says against opening the file, as the end of a sentence. SQLite itself would only
// say that it cannot open the file.
std::optional<std::string> flaw_of_header(std::string_view header, std::uint64_t size_bytes) {
  if (header.size() < kHeaderBytes)
    return "is a SQLite database that is cut off in its header; copy it again";
  const std::uint64_t coded = big_endian(header.substr(kPageSizeAt, 2));
  const std::uint64_t whole_bytes = big_endian(header.substr(kPageCountAt, 4)) * (coded == 1 ? 65536 : coded);
  if (whole_bytes > size_bytes)
    return "is a SQLite database that is cut off: it has " + std::to_string(size_bytes) + " of " +
           std::to_string(whole_bytes) +
           " bytes; copy it again, or export it again (for Nsight Systems: nsys export --type sqlite FILE)";
  if (header[kReadVersionAt] == 2)
    return "is a SQLite database with a write-ahead log, which may hold a part of it; run sqlite3 FILE "
           "\"PRAGMA journal_mode=DELETE\" first";
  return std::nullopt;
}

Result<Trace> import_database(Result<std::unique_ptr<SqliteDatabase>> database) {
  if (!database) return database.error();
  if (is_nsys_export(**database)) return NsysImport(**database).run();
  if (is_rocpd(**database)) return RocpdImport(**database).run();
  if (is_rpd(**database)) return RpdImport(**database).run();
  return Error{
      "is a SQLite database of a program that this version does not know; open a Chrome trace "
      "instead (PyTorch: export_chrome_trace)"};
}

// The errors of these functions complete a sentence that begins with the name of the file.
Result<std::unique_ptr<SqliteDatabase>> open_plain(const std::filesystem::path& path,
                                                   const recordings::Progress& progress) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("trace", path);
  if (!source) return source.error();
  if (const auto flaw = flaw_of_header((*source)->view(0, kHeaderBytes), (*source)->size()))
    return Error{*flaw};
  return SqliteDatabase::open(path, progress);
}

// The decompressed file has no name any more when this function returns.
Result<std::unique_ptr<SqliteDatabase>> open_packed(files::ByteSource& packed,
                                                    const recordings::Progress& progress) {
  const Result<UnpackedFile> file = UnpackedFile::create(packed, progress);
  if (!file) return file.error();
  return open_plain(file->path(), progress);
}

}  // namespace

Result<Trace> load_sqlite(const std::filesystem::path& path, const recordings::Progress& progress) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("trace", path);
  if (!source) return source.error();
  const bool packed = files::looks_like_gzip((*source)->view(0, kHeaderBytes));
  Result<Trace> trace =
      import_database(packed ? open_packed(**source, progress) : open_plain(path, progress));
  if (!trace) return file_error("trace", path, trace.error().message);
  if (packed) trace->set_metadata("format", trace->metadata().at("format") + ", gzip");
  return trace;
}

Result<Trace> read_sqlite(std::string_view bytes, const std::string& name) {
  if (const auto flaw = flaw_of_header(bytes.substr(0, kHeaderBytes), bytes.size()))
    return file_error("trace", name, *flaw);
  const recordings::Progress none;
  Result<Trace> trace = import_database(SqliteDatabase::open_bytes(bytes, none));
  return trace ? std::move(trace) : file_error("trace", name, trace.error().message);
}

}  // namespace runahead::importers
