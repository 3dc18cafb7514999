#include "instrumentation/import/foreign_file.h"

#include <algorithm>
#include <string_view>

#include "instrumentation/files/inflate.h"

namespace runahead::importers {
namespace {

// How many bytes of a database are searched for table names. Table definitions are text, usually near the
// start.
constexpr std::size_t kSchemaBytes = 1u << 20;
constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::string_view kInstead =
    "open a Chrome trace of the program instead (PyTorch: export_chrome_trace)";

std::string sqlite_sentence(std::string_view schema) {
  const auto has_any = [schema](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return schema.find(word) != schema.npos; });
  };
  if (has_any({"CUPTI_ACTIVITY_KIND_", "ENUM_NSYS_", "TARGET_INFO_SESSION_START_TIME"}))
    return "is a SQLite export of Nsight Systems, which this version cannot open yet, nor any other of its "
           "formats; " +
           std::string(kInstead);
  if (has_any({"rocpd_info_", "rocpd_kernel_dispatch", "rocpd_region"}))
    return "is a rocpd database of ROCm's profiler, which this version cannot open yet; make a Perfetto "
           "trace "
           "of it: python3 -m rocpd convert -i FILE --output-format pftrace";
  if (has_any({"rocpd_api", "rocpd_op"}))
    return "is a database of rocmProfileData, which this version cannot open yet; make a Chrome trace of it "
           "with the script of that project: python3 rpd2tracing.py FILE OUT.json";
  return "is a SQLite database, which this version cannot open; " + std::string(kInstead);
}

}  // namespace

std::optional<std::string> foreign_file(const std::filesystem::path& path, files::ByteSource& source) {
  if (files::plain_start(source, kSqliteMagic.size()) == kSqliteMagic)
    return sqlite_sentence(files::plain_start(source, kSchemaBytes)) +
           (files::looks_like_gzip(source.view(0, 2)) ? " (gunzip FILE first)" : "");
  const std::string name = path.filename().string();
  for (const std::string_view end : {".nsys-rep", ".qdrep", ".qdstrm"}) {
    if (name.ends_with(end))
      return "is a report of Nsight Systems, which this version cannot open, nor what nsys exports of it; " +
             std::string(kInstead);
  }
  return std::nullopt;
}

}  // namespace runahead::importers
