// The files of the viewer that a build with RUNAHEAD_HAVE_VIEWER contains.
#pragma once

#include <string_view>

namespace runahead::gui {

[[nodiscard]] std::string_view viewer_wasm();     // viewer.cpp and the timeline, as WebAssembly
[[nodiscard]] std::string_view viewer_script();   // viewer.js
[[nodiscard]] std::string_view follow_script();   // follow.js
[[nodiscard]] std::string_view viewer_style();    // viewer.css
[[nodiscard]] std::string_view report_script();   // report.js
[[nodiscard]] std::string_view report_style();    // report.css
[[nodiscard]] std::string_view compare_script();  // compare.js
[[nodiscard]] std::string_view compare_style();   // compare.css
[[nodiscard]] std::string_view lesson_script();   // lesson.js
[[nodiscard]] std::string_view lesson_style();    // lesson.css
[[nodiscard]] std::string_view page_form();       // page.html, with @NAME@ for each part

}  // namespace runahead::gui
