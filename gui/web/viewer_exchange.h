// How the functions of a page's viewer exchange texts and bytes with the page: the page writes an argument to
// the buffer before a call, and reads the answer after it.
#pragma once

#include <string>
#include <string_view>

#define RUNAHEAD_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace runahead::gui {

// Between the fields of a record, and after each record of an answer.
inline constexpr char kUnitEnd = '\x1f', kRecordEnd = '\x1e';

// Appends a field. A name in a trace may contain the characters that end fields and records: they become
// spaces.
inline void append_field(std::string& answer, std::string_view field) {
  for (const char c : field) answer += c == kUnitEnd || c == kRecordEnd ? ' ' : c;
}

// Appends a record of fields.
template <typename... Fields>
void append_record(std::string& answer, std::string_view first, const Fields&... more) {
  append_field(answer, first);
  ((answer += kUnitEnd, append_field(answer, more)), ...);
  answer += kRecordEnd;
}

[[nodiscard]] std::string& viewer_buffer();
[[nodiscard]] std::string& viewer_answer();

}  // namespace runahead::gui
