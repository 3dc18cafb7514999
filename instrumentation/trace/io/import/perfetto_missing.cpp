// Perfetto traces in a build without protozero: said, not done.
#include "instrumentation/base/posix_file.h"
#include "instrumentation/trace/io/import/perfetto.h"

namespace runahead::trace::io {
namespace {

constexpr std::string_view kWhy =
    "cannot be read by this build if it is a Perfetto trace; install libprotozero-dev and build again";

}  // namespace

// A trace is packets, each a field 1 of bytes: its tag is the first byte of the file. Enough to say why.
bool looks_like_perfetto(std::string_view start) { return start.starts_with('\x0a'); }

Result<Trace> load_perfetto(const std::filesystem::path& path, const Progress&) {
  return file_error("trace", path, kWhy);
}
Result<Trace> read_perfetto(std::span<const std::byte>, const std::string& name) {
  return file_error("trace", name, kWhy);
}

}  // namespace runahead::trace::io
