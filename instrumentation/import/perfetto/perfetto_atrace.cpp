#include "instrumentation/import/perfetto/perfetto_atrace.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace runahead::importers::perfetto {
namespace {

// Iterates over the fields of an atrace text.
class AtraceFields {
 public:
  explicit AtraceFields(std::string_view text) : rest_(text) {}

  // The text up to the next '|'; empty when no field is left.
  std::string_view next() {
    const std::string_view field = rest_.substr(0, rest_.find('|'));
    rest_.remove_prefix(field.size() < rest_.size() ? field.size() + 1 : rest_.size());
    return field;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

template <typename Number>
bool read_whole(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool read_async(char phase, AtraceFields& fields, AtracePoint& out) {
  const bool named_track = phase == 'G' || phase == 'H';
  out.kind = phase == 'S' || phase == 'G' ? AtracePoint::Kind::kAsyncBegin : AtracePoint::Kind::kAsyncEnd;
  if (named_track) {
    out.track = fields.next();
    if (out.track.empty()) return false;
  }
  const std::string_view name = fields.next();
  if (phase == 'H' && fields.rest().empty()) return read_whole(name, out.cookie);
  if (phase != 'H') out.name = name;
  return !name.empty() && read_whole(fields.next(), out.cookie);
}

bool read_instant(char phase, AtraceFields& fields, AtracePoint& out) {
  out.kind = AtracePoint::Kind::kInstant;
  if (phase == 'N') out.track = fields.next();
  out.name = fields.next();
  return !out.name.empty() && (phase == 'I' || !out.track.empty());
}

bool read_atrace_counter(AtraceFields& fields, AtracePoint& out) {
  out.kind = AtracePoint::Kind::kCounter;
  out.name = fields.next();
  return !out.name.empty() && read_whole(fields.next(), out.value) && std::isfinite(out.value);
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool is_clock_sync(std::string_view text) { return text.starts_with("trace_event_clock_sync:"); }

std::optional<AtracePoint> parse_atrace(std::string_view text) {
  AtraceFields fields(without_end(text));
  const std::string_view phase = fields.next();
  if (phase.size() != 1) return std::nullopt;
  AtracePoint point;
  std::uint32_t pid = 0;
  const std::string_view pid_text = fields.next();
  const bool has_pid = read_whole(pid_text, pid);
  point.pid = pid;
  if (phase == "E" && (has_pid || pid_text.empty())) {
    point.kind = AtracePoint::Kind::kEnd;
    return point;
  }
  if (!has_pid) return std::nullopt;
  switch (phase.front()) {
    case 'B':
      point.name = fields.rest();
      return point;
    case 'S':
    case 'F':
    case 'G':
    case 'H':
      return read_async(phase.front(), fields, point) ? std::optional(point) : std::nullopt;
    case 'I':
    case 'N':
      return read_instant(phase.front(), fields, point) ? std::optional(point) : std::nullopt;
    case 'C':
      return read_atrace_counter(fields, point) ? std::optional(point) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace runahead::importers::perfetto
