#include "instrumentation/export/embedded_recording.h"

#include <utility>

#include "instrumentation/recording/trace_saver.h"

namespace runahead::exporters {
using namespace trace;

std::optional<EmbeddedRecording> EmbeddedRecording::save(const Trace& trace, ExportFile& file,
                                                         const recordings::Progress& progress) {
  Result<TemporaryFile> saved = TemporaryFile::beside(Destination::kRecording, file.path());
  if (!saved) {
    file.fail(saved.error());
    return std::nullopt;
  }
  bool cancelled = false;
  const auto go_on = [&](double done) { return !(cancelled = progress && !progress(done)); };
  const Status written = recordings::save_into(*saved, file.path(), trace, go_on, {.opening = false});
  if (cancelled) return std::nullopt;
  Result<std::unique_ptr<files::FileSource>> bytes = files::FileSource::open("export", saved->path());
  if (!written || !bytes) {
    file.fail(written ? bytes.error() : written.error());
    return std::nullopt;
  }
  return EmbeddedRecording(std::move(saved).value(), std::move(bytes).value());
}

bool EmbeddedRecording::each_chunk(std::size_t n, ExportFile& file,
                                   const std::function<void(std::string_view)>& put) const {
  for (std::uint64_t at = 0; at < size_bytes() && !file.failed(); at += n) {
    const std::string_view chunk = bytes_->view(at, n);
    if (chunk.size() < std::min<std::uint64_t>(n, size_bytes() - at)) {
      file.fail(file_error("export", file.path(), "cannot read what was written beside it"));
    }
    put(chunk);
    file.flush_if_large();
  }
  return !file.failed();
}

}  // namespace runahead::exporters
