#include "instrumentation/trace/io/carried_recording.h"

#include <utility>

#include "instrumentation/trace/io/trace_saver.h"

namespace runahead::trace::io {

std::optional<CarriedRecording> CarriedRecording::save(const Trace& trace, ExportFile& file,
                                                       const Progress& progress) {
  Result<TemporaryFile> saved = TemporaryFile::beside(Destination::kRecording, file.path());
  if (!saved) {
    file.fail(saved.error());
    return std::nullopt;
  }
  bool cancelled = false;
  const auto go_on = [&](double done) { return !(cancelled = progress && !progress(done)); };
  const Status written = save_into(*saved, file.path(), trace, go_on, false);
  if (cancelled) return std::nullopt;
  Result<std::unique_ptr<FileSource>> bytes = FileSource::open("export", saved->path());
  if (!written || !bytes) {
    file.fail(written ? bytes.error() : written.error());
    return std::nullopt;
  }
  return CarriedRecording(std::move(saved).value(), std::move(bytes).value());
}

bool CarriedRecording::each_piece(std::size_t n, ExportFile& file,
                                  const std::function<void(std::string_view)>& put) const {
  for (std::uint64_t at = 0; at < size_bytes() && !file.failed(); at += n) {
    const std::string_view piece = bytes_->view(at, n);
    if (piece.size() < std::min<std::uint64_t>(n, size_bytes() - at)) {
      file.fail(file_error("export", file.path(), "cannot read what was written beside it"));
    }
    put(piece);
    file.flush_if_large();
  }
  return !file.failed();
}

}  // namespace runahead::trace::io
