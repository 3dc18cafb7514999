#include "gui/web/report/report_json.h"

#include <string_view>

#include "instrumentation/files/json_text.h"

namespace runahead::gui {
namespace {

// Writes JSON, and the commas between values.
class ReportText {
 public:
  void begin(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
  }
  void end(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    comma();
    string(name);
    out_ += ':';
    first_ = true;
  }
  void value(std::string_view words) {
    comma();
    string(words);
  }
  void value(double number) {
    comma();
    files::append_json_number(out_, number);
  }
  void value(bool yes) {
    comma();
    out_ += yes ? "true" : "false";
  }
  void pair(std::string_view name, std::string_view words) {
    key(name);
    value(words);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  // Also escapes what would end a <script> element or a line of JavaScript.
  void string(std::string_view words) {
    std::string text;
    files::append_json_string(text, words);
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view rest = std::string_view(text).substr(at);
      if (text[at] == '<') {
        out_ += "\\u003c";
      } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
        out_ += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
        at += 2;
      } else {
        out_ += text[at];
      }
    }
  }

  std::string out_;
  bool first_ = true;
};

void put(const ReportPlace& place, ReportText& out) {
  out.key("go");
  out.begin('{');
  if (place.track != kNoTrack) {
    out.key("track");
    out.value(static_cast<double>(raw(place.track)));
  }
  if (place.lower) {
    out.key("lower");
    out.value(true);
  }
  // A number of JavaScript has 53 bits.
  out.pair("from", std::to_string(ns_from(place.range.begin)));
  out.pair("to", std::to_string(ns_from(place.range.end)));
  out.end('}');
}

void put(const ReportRow& row, ReportText& out) {
  out.begin('{');
  out.key("cells");
  out.begin('[');
  for (const std::string& cell : row.cells) out.value(cell);
  out.end(']');
  if (!row.bars.empty()) {
    out.key("bars");
    out.begin('[');
    for (const auto& [column, length] : row.bars) {
      out.begin('[');
      out.value(static_cast<double>(column));
      out.value(length);
      out.end(']');
    }
    out.end(']');
  }
  if (row.go) put(*row.go, out);
  if (!row.parts.empty()) {
    out.key("parts");
    out.begin('[');
    for (const auto& [name, words] : row.parts) {
      out.begin('[');
      out.value(name);
      out.value(words);
      out.end(']');
    }
    out.end(']');
  }
  out.end('}');
}

void put(const ReportTable& table, ReportText& out) {
  out.begin('{');
  out.pair("caption", table.caption);
  out.key("columns");
  out.begin('[');
  for (const ReportColumn& column : table.columns) {
    out.begin('{');
    out.pair("name", column.name);
    out.key("number");
    out.value(column.number);
    out.end('}');
  }
  out.end(']');
  out.key("rows");
  out.begin('[');
  for (const ReportRow& row : table.rows) put(row, out);
  out.end(']');
  out.end('}');
}

void put(const ReportSection& section, ReportText& out) {
  out.begin('{');
  out.pair("id", section.id);
  out.pair("title", section.title);
  out.pair("summary", section.summary);
  out.key("notes");
  out.begin('[');
  for (const std::string& note : section.notes) out.value(note);
  out.end(']');
  out.key("tables");
  out.begin('[');
  for (const ReportTable& table : section.tables) put(table, out);
  out.end(']');
  out.end('}');
}

}  // namespace

std::string report_json(const std::vector<ReportOfLanguage>& languages) {
  ReportText out;
  out.begin('{');
  for (const ReportOfLanguage& one : languages) {
    out.key(one.code);
    out.begin('{');
    out.pair("report", one.report);
    out.pair("keys", one.keys);
    out.key("sections");
    out.begin('[');
    for (const ReportSection& section : one.sections) put(section, out);
    out.end(']');
    out.end('}');
  }
  out.end('}');
  return out.take();
}

}  // namespace runahead::gui
