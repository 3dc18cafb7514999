// EmbeddedRecording: an export contains the recording of its trace after its events. Therefore nothing is
// lost when this program opens the export, not even rows that the format cannot represent. Other programs
// skip the recording. The recording has the format that save_recording() writes. It omits only the blocks
// with which a reader could open a file without reading all of it. The recording is at the end of the export,
// followed by the hash of all bytes before the hash. If the export was changed later, the hash does not
// match, and the importer reads the events instead (import/common/embedded.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/export/export_file.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// The form in Chrome JSON: the start of a file with a recording, and the member that contains the recording:
//   ,\n"runahead.recording":{"bytes":N,"base64":[\n"...",\n"..."\n],"hash":"HASH"}}\n
// HASH is decimal. It is the hash of all bytes before the comma in front of "hash".
namespace embedded_json {
inline constexpr std::string_view kStart = R"({"runahead":{"recording":"at the end"},"traceEvents":[)";
inline constexpr std::string_view kMember = ",\n\"runahead.recording\":{";
inline constexpr std::string_view kBytes = "\"bytes\":", kBase64 = ",\"base64\":[", kBase64End = "\n]",
                                  kHash = ",\"hash\":\"", kEnd = "\"}", kObjectEnd = "}\n";
// The length of one line of base64 text: kLineChars characters, which encode kLineBytes bytes.
inline constexpr std::size_t kLineBytes = 48u << 10, kLineChars = 64u << 10;
}  // namespace embedded_json

class EmbeddedRecording {
 public:
  // Saves the recording in a temporary file next to `file`. The temporary file exists as long as this object.
  // nullopt: the export was cancelled, or file.failed() is now true.
  [[nodiscard]] static std::optional<EmbeddedRecording> save(const Trace& trace, ExportFile& file,
                                                             const recordings::Progress& progress);
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_->size(); }
  // Passes the bytes to `put`, `n` at a time; the last part may be shorter. False: file.failed() is now true.
  [[nodiscard]] bool each_chunk(std::size_t n, ExportFile& file,
                                const std::function<void(std::string_view bytes)>& put) const;

 private:
  EmbeddedRecording(TemporaryFile saved, std::unique_ptr<files::FileSource> bytes)
      : saved_(std::move(saved)), bytes_(std::move(bytes)) {}
  TemporaryFile saved_;
  std::unique_ptr<files::FileSource> bytes_;
};

}  // namespace runahead::exporters
