// A trace as one HTML page, which a browser opens without a server and without a network. The page contains
// the viewer (viewer.cpp as WebAssembly, viewer.js), the recording, and the report (report.h), packed by
// deflate and base64.
#pragma once

#include <filesystem>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct PageOptions {
  std::string title;  // any text; the page shows it as text
  // For a page that `runahead serve` makes of a recording that is still being written: the version of the
  // recording in the page. The page then asks its server for newer ones (follow.js). Empty: the page makes no
  // request.
  std::string followed_version;
};

// True if this build contains the viewer. Otherwise write_page() returns an error that says what was missing
// when it was built.
[[nodiscard]] bool pages_supported();

// Writes the page. If writing fails or `progress` cancels, no incomplete file is left. Needs memory for one
// block; a temporary file beside `path` holds the unpacked recording meanwhile.
[[nodiscard]] Status write_page(const trace::Trace& trace, const std::filesystem::path& path,
                                const PageOptions& options, const recordings::Progress& progress = {});

// `text` with the characters that have a meaning in HTML replaced.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace runahead::gui
