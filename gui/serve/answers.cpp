#include "gui/serve/answers.h"

#include <vector>

#include "gui/text/text.h"
#include "gui/web/page.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/visible_text.h"

namespace runahead::gui {
namespace {

// The icon is empty: without it, a browser asks for /favicon.ico, which the policy forbids.
constexpr std::string_view kHead =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>Runahead</title>\n"
    "<style>:root{color-scheme:light dark}body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 "
    "1em}td,th{padding:.3em 1em .3em "
    "0;text-align:left;font-weight:normal}thead "
    "th+th,td.size{text-align:right}thead{color:GrayText}</style>\n";

std::string begin_of_page(Language language) {
  return std::string("<!DOCTYPE html>\n<html lang=\"") + language_code(language) + "\"><head>" +
         std::string(kHead);
}

std::string column_head(Text name) { return "<th scope=\"col\">" + html_text(text(name)) + "</th>"; }

std::string list_table(const std::vector<ShelfEntry>& entries) {
  std::string out = "<table>\n<thead><tr>" + column_head(Text::kName) + column_head(Text::kTimelineBytes) +
                    "<td></td></tr></thead>\n<tbody>\n";
  for (const ShelfEntry& entry : entries) {
    out += "<tr><th scope=\"row\"><a href=\"" + std::to_string(entry.number) + "/\">" +
           html_text(visible_text(entry.name)) + "</a></th><td class=\"size\">" +
           html_text(format_bytes(static_cast<double>(entry.bytes))) + "</td><td>" +
           (entry.live ? html_text(text(Text::kServeLive)) : "") + "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string paragraph_of(std::string_view words) { return "<p>" + html_text(words) + "</p>\n"; }

}  // namespace

std::string list_page(const ShelfList& list, Language language) {
  const LanguageOfThread speaks(language);
  std::string out = begin_of_page(language) + "</head><body><h1>Runahead</h1>\n";
  if (list.entries.empty()) out += paragraph_of(text(Text::kServeNothing));
  if (!list.entries.empty()) out += list_table(list.entries);
  if (list.more_files) out += paragraph_of(filled(Text::kServeLeftOut, {std::to_string(kMostFiles)}));
  if (list.deeper_folders > 0) {
    out += paragraph_of(
        filled(Text::kServeDeeper, {std::to_string(kMostDepth), std::to_string(list.deeper_folders)}));
  }
  return out + "</body></html>\n";
}

std::string state_json(const FileState& state) {
  return "{\"version\": \"" + state.version + "\", \"live\": " + (state.live ? "true" : "false") + "}\n";
}

std::string error_page(std::string_view message, bool again) {
  std::string out = begin_of_page(Language::kEnglish);
  if (again) out += "<meta http-equiv=\"refresh\" content=\"1\">\n";
  return out + "</head><body><p>" + html_text(visible_text(message)) + "</p></body></html>\n";
}

std::string_view content_policy(Policy policy) {
  if (policy == Policy::kPage) {
    return "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
           "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

}  // namespace runahead::gui
