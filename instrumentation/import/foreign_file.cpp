#include "instrumentation/import/foreign_file.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "instrumentation/base/visible_text.h"
#include "instrumentation/files/inflate.h"

namespace runahead::importers {
namespace {

// How many bytes of a database are searched for table names. Table definitions are text, usually near the
// start.
constexpr std::size_t kSchemaBytes = 1u << 20;
constexpr std::string_view kInstead =
    "open a Chrome trace of the program instead (PyTorch: export_chrome_trace)";

}  // namespace

std::string sqlite_sentence(std::string_view schema) {
  const auto has_any = [schema](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return schema.find(word) != schema.npos; });
  };
  if (has_any({"CUPTI_ACTIVITY_KIND_", "ENUM_NSYS_", "TARGET_INFO_SESSION_START_TIME"}))
    return "is a SQLite export of Nsight Systems, but compressed";
  if (has_any({"rocpd_info_", "rocpd_kernel_dispatch", "rocpd_region"}))
    return "is a rocpd database of ROCm's profiler, which this version cannot open yet; make a Perfetto "
           "trace "
           "of it: python3 -m rocpd convert -i FILE --output-format pftrace";
  if (has_any({"rocpd_api", "rocpd_op"}))
    return "is a database of rocmProfileData, which this version cannot open yet; make a Chrome trace of it "
           "with the script of that project: python3 rpd2tracing.py FILE OUT.json";
  return "is a SQLite database, which this version cannot open; " + std::string(kInstead);
}

std::optional<std::string> foreign_file(const std::filesystem::path& path, files::ByteSource& source) {
  if (files::plain_start(source, kSqliteMagic.size()) == kSqliteMagic)
    return sqlite_sentence(files::plain_start(source, kSchemaBytes)) + " (gunzip FILE first)";
  const std::string name = path.filename().string();
  if (name.ends_with(".nsys-rep") || name.ends_with(".qdrep"))
    return "is a report of Nsight Systems, which only nsys can read; run: nsys export --type sqlite " +
           visible_text(name);
  if (name.ends_with(".qdstrm"))
    return "is an unfinished report of Nsight Systems; open it in Nsight Systems first, and then run: nsys "
           "export "
           "--type sqlite REPORT";
  if (name.ends_with(".sqlite"))
    return "is named as a SQLite database, but does not begin like one: it is encrypted or damaged; export "
           "it again "
           "(nsys export --type sqlite FILE)";
  return std::nullopt;
}

}  // namespace runahead::importers
