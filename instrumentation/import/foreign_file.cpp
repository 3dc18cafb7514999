#include "instrumentation/import/foreign_file.h"

#include "instrumentation/base/visible_text.h"

namespace runahead::importers {

std::optional<std::string> foreign_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(".nsys-rep") || name.ends_with(".qdrep"))
    return "is a report of Nsight Systems, which only nsys can read; run: nsys export --type sqlite " +
           visible_text(name);
  if (name.ends_with(".qdstrm"))
    return "is an unfinished report of Nsight Systems; open it in Nsight Systems first, and then run: nsys "
           "export --type sqlite REPORT";
  if (name.ends_with(".sqlite"))
    return "is named as a SQLite database, but does not begin like one: it is encrypted or damaged; export "
           "it again (nsys export --type sqlite FILE)";
  return std::nullopt;
}

}  // namespace runahead::importers
