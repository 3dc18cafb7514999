// How the functions of a page's viewer exchange texts and bytes with the page: the page writes an argument to
// the buffer before a call, and reads the answer after it.
#pragma once

#include <string>

#define RUNAHEAD_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace runahead::gui {

// Between the fields of a record, and after each record of an answer.
inline constexpr char kUnitEnd = '\x1f', kRecordEnd = '\x1e';

[[nodiscard]] std::string& viewer_buffer();
[[nodiscard]] std::string& viewer_answer();

}  // namespace runahead::gui
