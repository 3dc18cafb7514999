#include "instrumentation/import/chrome/json_event.h"

#ifdef RUNAHEAD_HAVE_SIMDJSON
#include <simdjson.h>

#include <charconv>
#include <limits>

#include "instrumentation/import/chrome/event_scanner.h"
#include "instrumentation/import/common/exact_time.h"
#include "instrumentation/import/common/short_texts.h"

namespace runahead::importers {
using namespace trace;
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(EventScanner::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

std::string_view without_space_behind(std::string_view token) {
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  return token;
}

bool is_string(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}
std::string_view inside(std::string_view token) { return token.substr(1, token.size() - 2); }

// Returns the token without quotes, because some writers put quotes around numbers.
std::string_view unquoted(std::string_view token) { return is_string(token) ? inside(token) : token; }

// Fast path for numbers of up to 18 digits, which covers nearly all whole numbers. Longer numbers take a slow
// path.
std::optional<std::int64_t> few_digits(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Returns the whole number in `text`. A decimal point and zeros may follow it: 7.0 is 7. nullopt: any other
// text.
template <typename Number>
std::optional<Number> whole_of(std::string_view text, int base = 10) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const bool whole = rest.empty() || (rest[0] == '.' && rest.find_first_not_of('0', 1) == rest.npos);
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // nan and inf are accepted too, because from_chars() reads them
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

enum class Member : std::uint8_t {
  kOther,
  kPhase,
  kTime,
  kDuration,
  kPid,
  kTid,
  kId,
  kId2,
  kBindId,
  kName,
  kCategory,
  kBindingPoint,
  kScope,
  kFlowIn,
  kFlowOut,
  kArgs,
};

// Compares the length first. After that, only a few names of the same length remain.
Member member_of(std::string_view name) {
  switch (name.size()) {
    case 1:
      return name == "s" ? Member::kScope : Member::kOther;
    case 2:
      if (name == "ph") return Member::kPhase;
      if (name == "ts") return Member::kTime;
      if (name == "id") return Member::kId;
      return name == "bp" ? Member::kBindingPoint : Member::kOther;
    case 3:
      if (name == "dur") return Member::kDuration;
      if (name == "pid") return Member::kPid;
      if (name == "tid") return Member::kTid;
      if (name == "cat") return Member::kCategory;
      return name == "id2" ? Member::kId2 : Member::kOther;
    case 4:
      if (name == "name") return Member::kName;
      return name == "args" ? Member::kArgs : Member::kOther;
    case 7:
      if (name == "bind_id") return Member::kBindId;
      return name == "flow_in" ? Member::kFlowIn : Member::kOther;
    case 8:
      return name == "flow_out" ? Member::kFlowOut : Member::kOther;
    default:
      return Member::kOther;
  }
}

}  // namespace

// Ids are often addresses or hashes, which use all 64 bits. Some writers print such an id as a signed number,
// others as an unsigned number.
EventKey number_key(std::string_view text) {
  if (const auto value = few_digits(text)) return {EventKey::Kind::kNumber, *value};
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (!hex) {
    if (const auto value = whole_of<std::int64_t>(text)) return {EventKey::Kind::kNumber, *value};
  }
  const auto bits = hex ? whole_of<std::uint64_t>(text.substr(2), 16) : whole_of<std::uint64_t>(text);
  if (!bits) return {};
  const auto value = static_cast<std::int64_t>(*bits);
  return {value < 0 ? EventKey::Kind::kLarge : EventKey::Kind::kNumber, value};
}

struct EventParser::State {
  explicit State(ImportNames& to) : names(to) {}

  ImportNames& names;
  ondemand::parser parser;
  std::string repaired, unescaped;
  ShortTexts<StringId, 512> strings;  // caches the StringId of each token
  ShortTexts<EventKey, 256> keys;     // caches the EventKey of each token

  // read() and member() return false if the text is not JSON that simdjson accepts.
  bool read(std::string_view text, ChromeEvent& out);
  bool member(std::string_view name, std::string_view token, ondemand::value& value, ChromeEvent& out);
  void scalar(Member what, std::string_view token, ChromeEvent& out);
  bool id2(ondemand::value& value, ChromeEvent& out);
  bool args(ondemand::value& value, ChromeEvent& out);
  bool nested(ondemand::value& value, std::string_view& text);
  StringId string(std::string_view token);
  StringId new_string(std::string_view token);
  EventKey key(std::string_view token);
  EventKey new_key(std::string_view token);
  ArgValue arg_value(std::string_view token);
};

// Returns the content of a string token, without quotes and escapes. For other tokens, returns the token
// itself.
StringId EventParser::State::string(std::string_view token) {
  if (token.empty() || token.size() > strings.kMostBytes) return new_string(token);
  if (const StringId* known = strings.find(token)) return *known;
  const StringId made = new_string(token);
  strings.set_last(made);
  return made;
}

StringId EventParser::State::new_string(std::string_view token) {
  const std::string_view text = unquoted(token);
  if (text.find('\\') == std::string_view::npos) return names.intern(text);
  unescape_json(text, unescaped);
  return names.intern(unescaped);
}

// Most keys are pids and tids. Many events share a few values, so the last keys are cached.
EventKey EventParser::State::key(std::string_view token) {
  if (token.empty() || token.size() > keys.kMostBytes) return new_key(token);
  if (const EventKey* known = keys.find(token)) return *known;
  const EventKey made = new_key(token);
  keys.set_last(made);
  return made;
}

EventKey EventParser::State::new_key(std::string_view token) {
  const std::string_view text = unquoted(token);
  if (text.empty() || token == "null") return {};
  if (const EventKey number = number_key(text); number.kind != EventKey::Kind::kNone) return number;
  return {EventKey::Kind::kText, static_cast<std::int64_t>(raw(string(token)))};
}

ArgValue EventParser::State::arg_value(std::string_view token) {
  if (is_string(token)) return string(token);
  if (const auto value = few_digits(token)) return *value;
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), integer);
  if (error == std::errc() && end == token.data() + token.size()) return integer;
  // A whole number that is too large for an int64 stays text, to keep its digits.
  if (error == std::errc::result_out_of_range && end == token.data() + token.size())
    return names.intern(token);
  if (const auto real = real_number(token)) return *real;
  return names.intern(token);  // the word true, false or null, or a word that only some writers use
}

bool EventParser::State::nested(ondemand::value& value, std::string_view& text) {
  ondemand::json_type type;
  if (value.type().get(type)) return false;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    return !value.get_object().get(object) && !object.raw_json().get(text);
  }
  ondemand::array array;
  return !value.get_array().get(array) && !array.raw_json().get(text);
}

namespace {

bool is_nested(std::string_view token) { return !token.empty() && (token[0] == '{' || token[0] == '['); }

// The text of a key as it is in the file. The search goes backwards from the value, because a search for the
// quote at the key's end would cost a mispredicted branch for nearly each member. None of the keys that we
// look for contains an escape, so the text can be compared as it is.
std::string_view raw_key(ondemand::raw_json_string key, const char* value) {
  const char* end = value - 1;
  while (*end != ':') --end;
  while (*end != '"') --end;
  return {key.raw(), static_cast<std::size_t>(end - key.raw())};
}

// Calls found(key, token, value) for each member until found() returns false. The token is the text of the
// value; if the value is an object or array, the token is its opening bracket.
template <typename Found>
bool each_member(ondemand::object& object, Found found) {
  for (auto entry : object) {
    if (entry.error()) return false;
    // The value is used in place. Copying a value that was just written stalls the processor; this stall took
    // a seventh of the time of an import.
    ondemand::field&& field = std::move(entry).value_unsafe();
    const std::string_view token = without_space_behind(field.value().raw_json_token());
    if (token.empty()) return false;
    if (!found(raw_key(field.key(), token.data()), token, field.value())) return false;
  }
  return true;
}

// False: the token is present but is not a time.
bool set_time(std::string_view token, bool& has, std::int64_t& ns) {
  const std::string_view text = unquoted(token);
  if (text == "null") return true;
  const auto value = ns_from_us_text(text);
  has = value.has_value();
  ns = value.value_or(0);
  return has;
}

bool is_true(std::string_view token) { return token == "true" || token == "1" || token == "\"true\""; }

char first_char(std::string_view token) {
  const std::string_view text = unquoted(token);
  return text.empty() ? '\0' : text[0];
}

}  // namespace

bool EventParser::State::args(ondemand::value& value, ChromeEvent& out) {
  ondemand::object object;
  if (value.get_object().get(object)) return false;
  return each_member(object, [&](std::string_view name, std::string_view token, ondemand::value& member) {
    if (is_nested(token)) {
      if (!nested(member, token)) return false;
      const StringId key = string(name);
      out.args.emplace_back(key, names.intern(without_space_behind(token)));
    } else {
      const StringId key = string(name);
      out.args.emplace_back(key, arg_value(token));
    }
    return true;
  });
}

bool EventParser::State::id2(ondemand::value& value, ChromeEvent& out) {
  ondemand::object object;
  if (value.get_object().get(object)) return false;
  return each_member(object, [&](std::string_view name, std::string_view token, ondemand::value&) {
    if (is_nested(token)) return true;
    if (name == "local" || name == "global") {
      out.id = key(token);
      out.has_local_id = name == "local";
    }
    return true;
  });
}

void EventParser::State::scalar(Member what, std::string_view token, ChromeEvent& out) {
  switch (what) {
    case Member::kPhase: {
      const std::string_view phase = unquoted(token);
      out.phase = phase.size() == 1 ? phase[0] : '\x01';  // a phase of several letters counts as unknown, not
                                                          // as absent
      return;
    }
    case Member::kTime:
      out.bad_time = !set_time(token, out.has_time, out.ts_ns);
      return;
    case Member::kDuration:
      // a duration that cannot be read counts as missing: the slice then has no end
      static_cast<void>(set_time(token, out.has_duration, out.duration_ns));
      return;
    case Member::kPid:
      out.pid = key(token);
      return;
    case Member::kTid:
      out.tid = key(token);
      return;
    case Member::kId:
      out.id = key(token);
      return;
    case Member::kBindId:
      out.bind_id = key(token);
      return;
    case Member::kName:
      out.name = token == "null" ? kEmptyString : string(token);
      return;
    case Member::kCategory:
      out.category = token == "null" ? kEmptyString : string(token);
      return;
    case Member::kBindingPoint:
      out.binds_to_enclosing = first_char(token) == 'e';
      return;
    case Member::kScope:
      out.scope = first_char(token);
      return;
    case Member::kFlowIn:
      out.flow_in = is_true(token);
      return;
    case Member::kFlowOut:
      out.flow_out = is_true(token);
      return;
    case Member::kArgs:
      if (token != "null") out.args.push_back({names.intern("args"), arg_value(token)});
      return;
    case Member::kId2:
    case Member::kOther:
      return;
  }
}

bool EventParser::State::member(std::string_view name, std::string_view token, ondemand::value& value,
                                ChromeEvent& out) {
  const Member what = member_of(name);
  if (token[0] == '{' && what == Member::kArgs) return args(value, out);
  if (token[0] == '{' && what == Member::kId2) return id2(value, out);
  if (!is_nested(token)) scalar(what, token, out);
  return true;
}

bool EventParser::State::read(std::string_view text, ChromeEvent& out) {
  ArgSet args = std::move(out.args);
  args.clear();
  out = ChromeEvent{};
  out.args = std::move(args);
  ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + EventScanner::kPaddingBytes);
  if (parser.iterate(padded).get(document)) return false;
  ondemand::object object;
  if (document.get_object().get(object)) return false;
  return each_member(object, [&](std::string_view name, std::string_view token, ondemand::value& value) {
    return member(name, token, value, out);
  });
}

EventParser::EventParser(ImportNames& names) : state_(std::make_unique<State>(names)) {}
EventParser::~EventParser() = default;

bool EventParser::parse(std::string_view text, ChromeEvent& out) {
  if (state_->read(text, out)) return true;
  state_->repaired = repaired_json(text);
  const std::size_t size = state_->repaired.size();
  state_->repaired.append(EventScanner::kPaddingBytes, ' ');
  return state_->read(std::string_view(state_->repaired).substr(0, size), out);
}

}  // namespace runahead::importers

#else  // In this build import_chrome_json() returns an error before it parses.

namespace runahead::importers {
struct EventParser::State {};
EventParser::EventParser(ImportNames&) {}
EventParser::~EventParser() = default;
bool EventParser::parse(std::string_view, ChromeEvent&) { return false; }
EventKey number_key(std::string_view) { return {}; }
}  // namespace runahead::importers

#endif
