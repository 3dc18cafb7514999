// The recording that an export carries behind its events, so that who opens it here has all of the trace,
// also what the format has no place for. Other programs skip it. It is the trace as save_recording() writes
// it, less what opens a file by the piece, and stands at the end of the export, with the hash of all bytes
// before that hash: an export that was changed since is read by its events (import/carried.h).
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

// In Chrome JSON: how a file with one begins, and the member that it is:
//   ,\n"runahead.recording":{"bytes":N,"base64":[\n"...",\n"..."\n],"hash":"HASH"}}\n
// HASH, in decimals, is of all bytes before the comma that it follows.
namespace embedded_json {
inline constexpr std::string_view kStart = R"({"runahead":{"recording":"at the end"},"traceEvents":[)";
inline constexpr std::string_view kMember = ",\n\"runahead.recording\":{";
inline constexpr std::string_view kBytes = "\"bytes\":", kBase64 = ",\"base64\":[", kBase64End = "\n]",
                                  kHash = ",\"hash\":\"", kEnd = "\"}", kObjectEnd = "}\n";
inline constexpr std::size_t kLineBytes = 48u << 10, kLineChars = 64u << 10;  // as bytes, as base64
}  // namespace embedded_json

class EmbeddedRecording {
 public:
  // Saves the trace beside `file`, until this goes. nullopt: cancelled, or file.failed() now.
  [[nodiscard]] static std::optional<EmbeddedRecording> save(const Trace& trace, ExportFile& file,
                                                             const recordings::Progress& progress);
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_->size(); }
  // Hands its bytes over, `n` at a time, the last ones fewer. False: file.failed() now.
  [[nodiscard]] bool each_chunk(std::size_t n, ExportFile& file,
                                const std::function<void(std::string_view bytes)>& put) const;

 private:
  EmbeddedRecording(TemporaryFile saved, std::unique_ptr<files::FileSource> bytes)
      : saved_(std::move(saved)), bytes_(std::move(bytes)) {}
  TemporaryFile saved_;
  std::unique_ptr<files::FileSource> bytes_;
};

}  // namespace runahead::exporters
