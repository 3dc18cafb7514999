// The importer of SQLite databases, in every build: without SQLite, load_sqlite() says that it is missing.
#include "instrumentation/import/common/importer.h"
#include "instrumentation/import/foreign_file.h"
#include "instrumentation/import/sqlite/sqlite_import.h"

namespace runahead::importers {
using namespace trace;
namespace {

// Every database is accepted here. load_sqlite() says what it is if it cannot be opened.
bool sniff_sqlite(const FileStart& start, files::ByteSource&) {
  return start.plain.starts_with(kSqliteMagic);
}
Result<Trace> load_sqlite_file(const std::filesystem::path& path, files::ByteSource&,
                               const recordings::Progress& progress, const recordings::OpenOptions&) {
  return load_sqlite(path, progress);
}

}  // namespace

extern const Importer kSqliteImporter;
constexpr Importer kSqliteImporter{.formats = "SQLite databases of Nsight Systems and of ROCm's profilers",
                                   .sniff = sniff_sqlite,
                                   .load = load_sqlite_file};

}  // namespace runahead::importers
