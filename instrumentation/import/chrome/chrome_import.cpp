#include "instrumentation/import/chrome/chrome_import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "instrumentation/import/chrome/chrome_importer.h"
#include "instrumentation/import/chrome/event_scanner.h"
#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/import/chrome/text_stream.h"
#include "instrumentation/import/common/embedded.h"
#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/import/common/trace_dates.h"
#include "instrumentation/import/common/zip.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::uint64_t kEventsPerProgress = 1u << 14;

// True for "{}". Some writers put an empty object before the first event or after the last event, because
// then they can write a comma with every event.
bool is_empty_object(std::string_view event) {
  return event.find_first_not_of(" \t\r\n", 1) == event.size() - 1;
}

// True for the members of our exports that belong to the embedded recording.
bool is_about_embedded(std::string_view key) { return key == "runahead" || key == "runahead.recording"; }

// The whole number of a member of a flat object: 3 of {"rank": 3}, "rank". nullopt: there is none.
std::optional<std::int64_t> integer_member(std::string_view object, std::string_view name) {
  std::size_t at = object.find('"' + std::string(name) + '"');
  if (at == std::string_view::npos) return std::nullopt;
  at = object.find_first_not_of(" \t\r\n:", at + name.size() + 2);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(object.data() + at, object.data() + object.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

class ChromeImport {
 public:
  ChromeImport(TextStream& stream, const recordings::Progress& progress)
      : stream_(stream),
        progress_(progress),
        names_(trace_),
        scanner_(stream),
        parser_(names_),
        importer_(trace_, names_) {}

  Result<Trace> run() {
    if (Status status = read_events(); !status) return status.error();
    if (!scanner_.found_events()) {
      return Error{"is JSON without a list of events: neither an array nor an object with \"traceEvents\""};
    }
    importer_.add_loss(LossCause::kImportBroken, scanner_.strays());
    const bool cut_stream = stream_.cut() && scanner_.cut_bytes() == 0;
    importer_.add_loss(LossCause::kImportCut, scanner_.cut_bytes() + (cut_stream ? 1 : 0));
    if (scanner_.members().contains("systemTraceEvents")) importer_.skip("member", "systemTraceEvents");
    const auto stale = [](const auto& member) { return is_about_embedded(member.first); };
    if (std::ranges::any_of(scanner_.members(), stale)) importer_.add_loss(LossCause::kImportStale);
    if (is_own_export()) importer_.set_own_export();
    importer_.finish();
    describe();
    return std::move(trace_);
  }

 private:
  Status read_events() {
    ChromeEvent event;
    std::uint64_t count = 0;
    while (const auto text = scanner_.next()) {
      if (is_empty_object(*text)) continue;
      if (parser_.parse(*text, event)) {
        importer_.add(event);
      } else {
        importer_.add_loss(LossCause::kImportBroken);
      }
      if (++count % kEventsPerProgress == 0 && progress_ && !progress_(stream_.done())) {
        return Error{"was not opened: cancelled"};
      }
    }
    return Ok{};
  }

  [[nodiscard]] bool is_own_export() const {
    const auto other = scanner_.members().find("otherData");
    return other != scanner_.members().end() &&
           other->second.find("\"written_by\":\"runahead\"") != std::string::npos;
  }

  void describe() {
    trace_.set_metadata("format", chrome_json_format(stream_.container()));
    say_which_file(stream_.picked(), trace_);
    trace_.set_metadata("import.events", std::to_string(importer_.events()));
    trace_.set_metadata("import.first_us", microseconds_text(importer_.first_ns()));
    if (scanner_.unclosed()) trace_.set_metadata("import.closed", "no: the list of events has no end");
    std::int64_t base_ns = 0;
    for (const auto& [key, value] : scanner_.members()) {
      if (is_about_embedded(key)) continue;
      std::string text;
      unescape_json(value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value,
                    text);
      if (key == "baseTimeNanoseconds") std::from_chars(text.data(), text.data() + text.size(), base_ns);
      if (key == "distributedInfo") {
        for (const std::string name : {"rank", "world_size"}) {
          if (const auto number = integer_member(text, name))
            trace_.set_metadata("process." + name, std::to_string(*number));
        }
      }
      if (key == "host_name") trace_.set_metadata("host", text);
      trace_.set_metadata("chrome." + key, std::move(text));
    }
    std::int64_t started_ns = 0;
    if (!__builtin_add_overflow(base_ns, importer_.first_ns(), &started_ns)) set_start(started_ns, trace_);
  }

  TextStream& stream_;
  const recordings::Progress& progress_;
  Trace trace_;
  ImportNames names_;
  EventScanner scanner_;
  EventParser parser_;
  ChromeImporter importer_;
};

}  // namespace

Result<Trace> import_chrome_json(files::ByteSource& source, const recordings::Progress& progress) {
#ifndef RUNAHEAD_HAVE_SIMDJSON
  return Error{"is JSON, which this build cannot read (it was made without simdjson)"};
#endif
  Result<std::optional<Trace>> embedded = embedded_in_json(source, progress);
  if (!embedded) return embedded.error();
  if (*embedded) return std::move(**embedded);
  Result<std::unique_ptr<TextStream>> stream = open_text_stream(source);
  if (!stream) return stream.error();
  return ChromeImport(**stream, progress).run();
}

void say_which_file(const PickedFile& picked, Trace& trace) {
  if (!picked.name.empty()) trace.set_metadata("import.file", picked.name);
  if (picked.others > 0) trace.add_loss(LossCause::kImportFiles, picked.others);
}

std::string chrome_json_format(std::string_view container) {
  return "chrome json" + (container == "plain" ? "" : ", " + std::string(container));
}

bool looks_like_chrome_json(files::ByteSource& source) {
  Result<std::unique_ptr<TextStream>> stream = open_text_stream(source);
  if (!stream) return false;
  std::array<char, 256> start{};
  const std::size_t size = (*stream)->read(start.data(), start.size());
  return json_begin({start.data(), size}) != std::string_view::npos;
}

// A zip is always accepted here. If it contains no trace, load_chrome() returns an error that says why it
// cannot be opened.
bool sniff_chrome(const FileStart& start, files::ByteSource& source) {
  return looks_like_zip(start.bytes) || looks_like_chrome_json(source);
}
Result<Trace> load_chrome(const std::filesystem::path& path, files::ByteSource& source,
                          const recordings::Progress& progress, const recordings::OpenOptions&) {
  Result<Trace> trace = import_chrome_json(source, progress);
  if (!trace) return file_error("trace", path, trace.error().message);
  return trace;
}
extern const Importer kChromeImporter;
constexpr Importer kChromeImporter{
    .formats = "Chrome trace JSON", .sniff = sniff_chrome, .load = load_chrome};

}  // namespace runahead::importers
