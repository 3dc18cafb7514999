#include "gui/cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "instrumentation/base/visible_text.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::gui {
namespace {

std::string without_breaks(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// Rows that come fast are written in blocks of 64 KiB. Rows that come slowly are written five times a second.
constexpr std::size_t kPassOnBytes = 1u << 16;
constexpr std::int64_t kPassOnMs = 200;

std::int64_t milliseconds() {
  using std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch())
      .count();
}

bool at_a_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

// Returns 0, or the value of errno.
int write_bytes(std::string_view bytes) {
  errno = 0;
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  return written ? 0 : errno != 0 ? errno : EIO;
}

Outcome outcome_of(int error) {
  if (error == 0 || error == EPIPE) return success();
  return refused(std::string("standard output: cannot write: ") + std::strerror(error));
}

// Returns the JSON text without control characters that a terminal would obey. visible_text() writes control
// characters as JSON escapes, except DEL. Therefore DEL is replaced separately.
std::string escaped(const std::string& json) {
  std::string out = visible_text(json, "\n\x7f");
  for (std::size_t at = 0; (at = out.find('\x7f', at)) != out.npos;) out.replace(at, 1, "\\u007f");
  return out;
}

}  // namespace

Outcome write_stdout(std::string_view text) { return outcome_of(write_bytes(visible_text(text, "\n"))); }

Outcome write_stdout(const ScreenText& text) { return outcome_of(write_bytes(text.text())); }

Outcome write_csv(std::string_view text) {
  return outcome_of(write_bytes(at_a_terminal() ? visible_text(text, "\r\n") : std::string(text)));
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  // Names may come from an untrusted file. Therefore dump() replaces invalid UTF-8 and does not throw.
  return escaped(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Outcome write_json(const nlohmann::ordered_json& object) {
  return outcome_of(write_bytes(json_text(object, 2) + "\n"));
}

bool StreamedOutput::write(std::string_view text) {
  text_ += text;
  return !due() || pass_on();
}

bool StreamedOutput::due() {
  const std::int64_t now_ms = milliseconds();
  if (last_ms_ == 0) last_ms_ = now_ms;
  return text_.size() >= kPassOnBytes || now_ms - last_ms_ >= kPassOnMs;
}

bool StreamedOutput::pass_on() {
  if (reader_gone_ || outcome_.exit_code != 0) return false;
  const bool visible = kind_ == Kind::kText || (kind_ == Kind::kCsv && at_a_terminal());
  const int error = write_bytes(visible ? visible_text(text_, kind_ == Kind::kCsv ? "\r\n" : "\n") : text_);
  text_.clear();
  passed_on_ = true;
  last_ms_ = milliseconds();
  reader_gone_ = error == EPIPE;
  outcome_ = outcome_of(error);
  return error == 0;
}

Outcome StreamedOutput::end() {
  pass_on();
  return outcome_;
}

void write_stderr_line(std::string_view text) {
  std::fprintf(stderr, "runahead: %s\n", visible_text(without_breaks(text)).c_str());
}

std::string counted(std::uint64_t count, const std::string& what) {
  const char* const plural = what.ends_with("s") ? "es" : "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : plural);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) widen(widths, row);
  std::string out;
  for (const auto& row : rows) out += aligned_row(row, widths, left);
  return out;
}

void widen(std::vector<std::size_t>& widths, const std::vector<std::string>& row) {
  if (widths.size() < row.size()) widths.resize(row.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    widths[i] = std::max(widths[i], display_columns(visible_text(row[i])));
}

std::string aligned_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                        const std::vector<bool>& left) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string cell = visible_text(row[i]);
    const std::size_t width = display_columns(cell);
    const std::string padding(i < widths.size() && widths[i] > width ? widths[i] - width : 0, ' ');
    if (i > 0) line += "  ";
    line += i < left.size() && left[i] ? cell + padding : padding + cell;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

nlohmann::ordered_json losses_json(const trace::LossCounts& losses) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) != 0) out[std::string(trace::loss_key(cause))] = losses.of(cause);
  }
  return out;
}

std::string losses_in_words(const trace::Trace& trace) {
  const trace::LossCounts& losses = trace.losses();
  std::string words;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0 || cause == trace::LossCause::kEvicted) continue;
    words += (words.empty() ? "lost: " : ", ") + std::to_string(losses.of(cause)) + " " +
             std::string(trace::loss_key(cause));
  }
  if (is_cut_off(trace))
    words += (words.empty() ? "" : "; ") + std::string("cut off, rows after its last block are unknown");
  if (words.empty()) words = "nothing lost";
  // Rows are evicted only at the user's request, so evicted rows do not count as lost.
  const std::uint64_t evicted = losses.of(trace::LossCause::kEvicted);
  return evicted == 0 ? words : words + ", " + std::to_string(evicted) + " older rows evicted";
}

std::string losses_text(const trace::LossCounts& losses) {
  std::string out;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0) continue;
    out += "lost: " + std::to_string(losses.of(cause)) + " " + std::string(trace::loss_key(cause)) + ": " +
           std::string(trace::loss_sentence(cause)) + "\n";
  }
  return out;
}

std::string losses_text(const trace::Trace& trace, std::size_t most_kinds) {
  const std::string kinds = trace::skipped_text(trace::skipped_kinds(trace.metadata()), most_kinds);
  return losses_text(trace.losses()) + (kinds.empty() ? "" : "skipped: " + kinds + "\n");
}

nlohmann::ordered_json skipped_json(const trace::Trace& trace) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const trace::SkippedKind& kind : trace::skipped_kinds(trace.metadata()))
    out[kind.group + "." + kind.name] = kind.count;
  return out;
}

bool is_cut_off(const trace::Trace& trace) {
  const auto ended = trace.metadata().find("recording.ended");
  return ended != trace.metadata().end() && ended->second == "no";
}

bool is_complete(const trace::Trace& trace) { return !trace.losses().facts_missing() && !is_cut_off(trace); }

void warn_of_losses(std::string_view file, const trace::Trace& trace) {
  if (is_complete(trace)) return;
  const std::string cut = is_cut_off(trace) ? std::string(kCutOff) + "\n" : "";
  constexpr std::size_t kMostKinds = 5;  // this many kinds fit on one line
  write_stderr_line("'" + std::string(file) + "' is not complete: " + cut + losses_text(trace, kMostKinds));
}

}  // namespace runahead::gui
