#include "gui/web/packed_recording.h"

#include <string>
#include <utility>

#include "gui/web/fit_page.h"
#include "gui/web/page_file.h"
#include "gui/web/reduced_recording.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/trace_saver.h"

namespace runahead::gui {

#if defined(RUNAHEAD_HAVE_VIEWER) && defined(RUNAHEAD_HAVE_ZLIB)

Result<PackedRecording> pack_blocks(const std::filesystem::path& blocks, const PackedForm& form) {
  Result<std::unique_ptr<files::FileSource>> recording = files::FileSource::open("page", blocks);
  if (!recording) return recording.error();
  Result<TemporaryFile> file = TemporaryFile::beside(Destination::kPage, form.beside);
  if (!file) return file.error();
  PackedRecording out{.text = {}, .bytes = (*recording)->size(), .joined_below = {}};
  const std::uint64_t digits = std::to_string(out.bytes).size();
  if (form.most_bytes != 0 && form.most_bytes <= digits) return out;
  PageFile text(file->take_descriptor(), form.beside, form.most_bytes == 0 ? 0 : form.most_bytes - digits);
  pack_into(text, **recording);
  if (text.too_large()) return out;
  if (!text.status()) return text.status().error();
  out.text = std::make_unique<TemporaryFile>(std::move(*file));
  return out;
}

Result<PackedRecording> pack_recording(const trace::Trace& trace, const PackedForm& form,
                                       const recordings::Progress& progress) {
  PackedRecording best;
  const auto attempt = [&](const Reduction& reduction) -> Result<bool> {
    Result<TemporaryFile> saved = TemporaryFile::beside(Destination::kRecording, form.beside);
    if (!saved) return saved.error();
    const recordings::SavedForm plain{.opening = false, .compression = false};
    const Status status = reduction.none()
                              ? recordings::save_into(*saved, form.beside, trace, progress, plain)
                              : save_reduced(*saved, form.beside, trace, reduction, progress);
    if (!status) return status.error();
    Result<PackedRecording> packed = pack_blocks(saved->path(), form);
    if (!packed) return packed.error();
    if (packed->text == nullptr) return false;
    best = std::move(*packed);
    best.joined_below = reduction.joined_below;
    return true;
  };
  const Result<bool> fits = form.most_bytes == 0 ? attempt({.range = form.range, .joined_below = {}})
                                                 : fit_page(trace, form.range, attempt);
  if (!fits) return fits.error();
  return best;
}

#endif

}  // namespace runahead::gui
