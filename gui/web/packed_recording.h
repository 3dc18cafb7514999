// A recording as it stands in a page: packed, and as small as the page needs it. Only in builds with the
// viewer and zlib.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "gui/web/reduction.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct PackedRecording {
  std::unique_ptr<TemporaryFile> text;  // the packed bytes; empty: even the coarsest summary was too large
  std::uint64_t bytes = 0;              // unpacked
  Duration joined_below{};              // slices shorter than this are joined; 0: it is exact
};

// What is packed, beside which file, and in how many bytes: `most_bytes` are those of the text and of the
// digits of PackedRecording::bytes together. 0: no limit; otherwise the finest summary that fits is found.
struct PackedForm {
  const std::filesystem::path& beside;  // messages call the file so
  std::optional<TimeRange> range{};
  std::uint64_t most_bytes = 0;
};
[[nodiscard]] Result<PackedRecording> pack_recording(const trace::Trace& trace, const PackedForm& form,
                                                     const recordings::Progress& progress);
// Packs a file that has the blocks for the page already.
[[nodiscard]] Result<PackedRecording> pack_blocks(const std::filesystem::path& blocks,
                                                  const PackedForm& form);

}  // namespace runahead::gui
