// Perfetto import in a build without protozero: returns an error that says so.
#include "instrumentation/base/posix_file.h"
#include "instrumentation/import/perfetto/perfetto_import.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::string_view kWhy =
    "cannot be read by this build if it is a Perfetto trace; install libprotozero-dev and build again";

}  // namespace

// The first byte of a trace is the tag of a packet: field 1, bytes. This is enough to recognise the format
// for the error message.
bool looks_like_perfetto(std::string_view start) { return start.starts_with('\x0a'); }

Result<Trace> load_perfetto(const std::filesystem::path& path, const recordings::Progress&) {
  return file_error("trace", path, kWhy);
}
Result<Trace> read_perfetto(std::span<const std::byte>, const std::string& name) {
  return file_error("trace", name, kWhy);
}

}  // namespace runahead::importers
