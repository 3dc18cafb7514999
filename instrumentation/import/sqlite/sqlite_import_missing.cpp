// Import of SQLite databases in a build without SQLite: returns an error that says so.
#include "instrumentation/base/posix_file.h"
#include "instrumentation/import/sqlite/sqlite_import.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::string_view kNoSqlite =
    "is a SQLite database, which this build cannot read (it was made without SQLite); install libsqlite3-dev "
    "and build again";

}  // namespace

Result<Trace> load_sqlite(const std::filesystem::path& path, const recordings::Progress&) {
  return file_error("trace", path, kNoSqlite);
}
Result<Trace> read_sqlite(std::string_view, const std::string& name) {
  return file_error("trace", name, kNoSqlite);
}

}  // namespace runahead::importers
