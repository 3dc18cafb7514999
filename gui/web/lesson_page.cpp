#include "gui/web/lesson_page.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/files/base64.h"
#include "instrumentation/files/byte_source.h"

namespace runahead::gui {

namespace {

constexpr std::string_view kLessonBegin = "<script type=\"application/octet-stream\" id=\"lesson\">";
constexpr std::string_view kLessonEnd = "</script>";
// The lesson is near the begin of a page, before the viewer and the recording.
constexpr std::uint64_t kMostRead = 1u << 20;

}  // namespace

std::string lesson_seal(std::string_view sheet_text) { return sheet_text.empty() ? "" : " data-sealed"; }

std::string lesson_elements(std::string_view sheet_text) {
  if (sheet_text.empty()) return {};
  std::string out = "<section id=\"lesson-view\"></section>\n" + std::string(kLessonBegin);
  files::append_base64(out, sheet_text);
  return out + std::string(kLessonEnd) + "\n";
}

Result<LessonSheet> lesson_of_page(const std::filesystem::path& path) {
  Result<std::unique_ptr<files::FileSource>> file = files::FileSource::open("page", path);
  if (!file) return file.error();
  const std::string_view page = (*file)->view(0, kMostRead);
  const std::size_t begin = page.find(kLessonBegin);
  const std::size_t end = begin == page.npos ? page.npos : page.find(kLessonEnd, begin);
  std::optional<LessonSheet> sheet;
  std::string text;
  if (end != page.npos) {
    const std::size_t from = begin + kLessonBegin.size();
    if (files::decode_base64(page.substr(from, end - from), text)) sheet = parse_sheet(text);
  }
  if (sheet) return *std::move(sheet);
  return file_error("page", path, "it is no page of a lesson: `runahead export --lesson` writes one");
}

}  // namespace runahead::gui
