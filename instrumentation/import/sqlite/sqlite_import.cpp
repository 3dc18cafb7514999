#include "instrumentation/import/sqlite/sqlite_import.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/import/foreign_file.h"
#include "instrumentation/import/sqlite/nsys_import.h"
#include "instrumentation/import/sqlite/sqlite_database.h"

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
           " bytes; copy it again, or export it again (nsys export --type sqlite FILE)";
  if (header[kReadVersionAt] == 2)
    return "is a SQLite database with a write-ahead log, which may hold a part of it; run sqlite3 FILE "
           "\"PRAGMA "
           "journal_mode=DELETE\" first";
  return std::nullopt;
}

std::string names_of_tables(const SqliteDatabase& database) {
  std::string out;
  for (const SqliteTable& table : database.tables()) out += table.name + '\n';
  return out;
}

Result<Trace> import_database(Result<std::unique_ptr<SqliteDatabase>> database) {
  if (!database) return database.error();
  if (!is_nsys_export(**database)) return Error{sqlite_sentence(names_of_tables(**database))};
  return NsysImport(**database).run();
}

}  // namespace

Result<Trace> load_sqlite(const std::filesystem::path& path, const recordings::Progress& progress) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("trace", path);
  if (!source) return source.error();
  if (const auto flaw = flaw_of_header((*source)->view(0, kHeaderBytes), (*source)->size()))
    return file_error("trace", path, *flaw);
  Result<Trace> trace = import_database(SqliteDatabase::open(path, progress));
  return trace ? std::move(trace) : file_error("trace", path, trace.error().message);
}

Result<Trace> read_sqlite(std::string_view bytes, const std::string& name) {
  if (const auto flaw = flaw_of_header(bytes.substr(0, kHeaderBytes), bytes.size()))
    return file_error("trace", name, *flaw);
  const recordings::Progress none;
  Result<Trace> trace = import_database(SqliteDatabase::open_bytes(bytes, none));
  return trace ? std::move(trace) : file_error("trace", name, trace.error().message);
}

// Every database is accepted here. load_sqlite() says what it is if it cannot be opened.
bool sniff_sqlite(const FileStart& start, files::ByteSource&) {
  return start.bytes.starts_with(kSqliteMagic);
}
Result<Trace> load_sqlite_file(const std::filesystem::path& path, files::ByteSource&,
                               const recordings::Progress& progress, const recordings::OpenOptions&) {
  return load_sqlite(path, progress);
}
extern const Importer kSqliteImporter;
constexpr Importer kSqliteImporter{
    .formats = "SQLite exports of Nsight Systems", .sniff = sniff_sqlite, .load = load_sqlite_file};

}  // namespace runahead::importers
