#include "gui/serve/answers.h"

#include "gui/web/page.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/visible_text.h"

namespace runahead::gui {
namespace {

constexpr std::string_view kBegin =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Runahead</title>\n"
    "<style>:root{color-scheme:light dark}body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 "
    "1em}td,th{padding:.3em 1em .3em 0;text-align:left}td.size{text-align:right}</style>\n";

}  // namespace

std::string list_page(const std::vector<ShelfEntry>& entries) {
  std::string out(kBegin);
  out += "</head><body><h1>Runahead</h1>\n";
  if (entries.empty()) out += "<p>No traces yet. Load this page again when there are some.</p>\n";
  out += "<table>\n";
  for (const ShelfEntry& entry : entries) {
    out += "<tr><td><a href=\"" + std::to_string(entry.number) + "/\">" +
           html_text(visible_text(entry.name)) + "</a></td><td class=\"size\">" +
           html_text(format_bytes(static_cast<double>(entry.bytes))) + "</td><td>" +
           (entry.live ? "being written" : "") + "</td></tr>\n";
  }
  return out + "</table>\n</body></html>\n";
}

std::string state_json(const FileState& state) {
  return "{\"version\": \"" + state.version + "\", \"live\": " + (state.live ? "true" : "false") + "}\n";
}

std::string error_page(std::string_view message, bool again) {
  std::string out(kBegin);
  if (again) out += "<meta http-equiv=\"refresh\" content=\"1\">\n";
  return out + "</head><body><p>" + html_text(visible_text(message)) + "</p></body></html>\n";
}

std::string_view content_policy(Policy policy) {
  if (policy == Policy::kPage) {
    return "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }
  return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors "
         "'none'";
}

}  // namespace runahead::gui
