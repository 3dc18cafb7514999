#include "gui/serve/request.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace runahead::gui {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

// Reads decimal digits without a sign and without needless zeros; at most `most` of them.
std::optional<std::uint64_t> whole_number(std::string_view digits, std::size_t most) {
  if (digits.empty() || digits.size() > most || (digits.size() > 1 && digits.front() == '0'))
    return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}
std::optional<std::size_t> small_number(std::string_view digits) { return whole_number(digits, 5); }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The weight of ";q=0.8" in thousandths; without one 1000, and 0 if it is none.
int weight_of(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == parameters.npos) return 1000;
  const std::string_view value = trimmed(parameters.substr(at + 2));
  if (value.empty() || value.front() == '1') return value.empty() ? 0 : 1000;
  int weight = 0, scale = 100;
  for (std::size_t i = 2; i < value.size() && scale > 0; ++i, scale /= 10) {
    if (value[i] < '0' || value[i] > '9') return 0;
    weight += (value[i] - '0') * scale;
  }
  return value.starts_with("0.") ? weight : 0;
}

// The stream and the first byte of "STREAM/FROM".
void read_growth(std::string_view what, Decision& decision) {
  const std::size_t slash = what.find('/');
  if (slash == what.npos) return;
  const auto stream = whole_number(what.substr(0, slash), 15),
             from = whole_number(what.substr(slash + 1), 15);
  if (!stream || !from) return;
  decision.asked = Asked::kGrowth;
  decision.stream = *stream;
  decision.from = *from;
}

bool same_token(std::string_view said, std::string_view token) {
  if (said.size() != token.size()) return false;
  volatile unsigned char difference = 0;  // volatile: the loop does not end early
  for (std::size_t i = 0; i < token.size(); ++i)
    difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(said[i] ^ token[i]));
  return difference == 0;
}

Decision refused_with(int status, bool head) { return {.status = status, .head = head}; }

// 0: the fields are all right. Otherwise the HTTP status of the refusal.
int refusal_of_fields(std::span<const HttpField> fields) {
  if (fields.size() > kMostFields) return 431;
  std::string_view host, origin;
  int hosts = 0, origins = 0;
  std::size_t bytes = 0;
  for (const HttpField& field : fields) {
    bytes += field.name.size() + field.value.size();
    if (same_name(field.name, "Host")) host = field.value, ++hosts;
    if (same_name(field.name, "Origin")) origin = field.value, ++origins;
    // No request that we answer has a body.
    if (same_name(field.name, "Transfer-Encoding")) return 400;
    if (same_name(field.name, "Content-Length") && field.value != "0") return 400;
  }
  if (bytes > kMostFieldBytes) return 431;
  if (hosts != 1 || !is_loopback_host(host)) return 421;
  if (origins > 1) return 403;
  if (origins == 1 && !same_name(origin, "http://" + std::string(host))) return 403;
  return 0;
}

// What the part of the path behind the token asks for. `path` begins behind "/TOKEN".
Decision asked_by_path(std::string_view path, bool head) {
  if (path == "/") return {.asked = Asked::kList, .status = 200, .head = head};
  const std::size_t end = path.find('/', 1);
  if (path.empty() || end == path.npos) return refused_with(404, head);
  const std::optional<std::size_t> number = small_number(path.substr(1, end - 1));
  if (!number) return refused_with(404, head);
  const std::string_view what = path.substr(end + 1);
  Decision decision{.status = 200, .file = *number, .head = head};
  if (what.empty()) decision.asked = Asked::kPage;
  if (what == "state") decision.asked = Asked::kState;
  if (what == "recording") decision.asked = Asked::kRecording;
  constexpr std::string_view kGrowthPath = "growth/";
  if (what.starts_with(kGrowthPath)) read_growth(what.substr(kGrowthPath.size()), decision);
  return decision.asked == Asked::kNothing ? refused_with(404, head) : decision;
}

}  // namespace

Language preferred_language(std::string_view accepted) {
  Language best = Language::kEnglish;
  int most = 0;
  while (!accepted.empty()) {
    const std::string_view one = accepted.substr(0, accepted.find(','));
    accepted.remove_prefix(std::min(one.size() + 1, accepted.size()));
    const std::size_t end = std::min(one.find(';'), one.size());
    const std::string_view tag = trimmed(one.substr(0, end));
    const std::string_view name = tag.substr(0, tag.find('-'));
    const int weight = weight_of(one.substr(end));
    if (weight <= most) continue;
    for (const auto& [code, language] : {std::pair<std::string_view, Language>{"en", Language::kEnglish},
                                         {"zh", Language::kChinese},
                                         {"ja", Language::kJapanese}}) {
      if (!same_name(name, code)) continue;
      most = weight;
      best = language;
    }
  }
  return best;
}

bool is_loopback_host(std::string_view host) {
  static constexpr std::string_view kNames[]{"127.0.0.1", "localhost", "[::1]"};
  for (const std::string_view name : kNames) {
    if (host.size() < name.size() || !same_name(host.substr(0, name.size()), name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty()) return true;
    const auto port = rest.front() == ':' ? small_number(rest.substr(1)) : std::nullopt;
    return port && *port > 0 && *port <= 65535;
  }
  return false;
}

Decision decide(const HttpRequest& request, std::string_view token) {
  const bool head = request.method == "HEAD";
  if (!head && request.method != "GET") return refused_with(405, false);
  if (request.target.size() > kMostTargetBytes) return refused_with(414, head);
  if (const int status = refusal_of_fields(request.fields); status != 0) return refused_with(status, head);
  const std::string_view target = request.target;
  const std::size_t end = target.starts_with('/') ? std::min(target.find('/', 1), target.size()) : 0;
  if (end == 0 || !same_token(target.substr(1, end - 1), token)) return refused_with(403, head);
  Decision decision = asked_by_path(target.substr(end), head);
  for (const HttpField& field : request.fields)
    if (same_name(field.name, "Accept-Language")) decision.language = preferred_language(field.value);
  return decision;
}

}  // namespace runahead::gui
