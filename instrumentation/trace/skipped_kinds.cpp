#include "instrumentation/trace/skipped_kinds.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace runahead::trace {
namespace {

constexpr std::size_t kMostKinds = 256;
constexpr std::size_t kMostNameBytes = 64;
// An error message names at most this many kinds. With more kinds it would be hard to read.
constexpr std::size_t kMostKindsInAnError = 3;

// The groups of skipped kinds: the key of each group, and the words for its events in a message.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kGroupWords{{
    {"ftrace", "ftrace events"},
    {"packet", "packets"},
    {"phase", "events of the phases"},
    {"event", "events"},
    {"argument", "arguments"},
    {"member", "members of the file"},
    {"row", "rows"},
}};

std::string plain_word(std::string_view text) {
  std::string out(text.substr(0, kMostNameBytes));
  for (char& c : out) {
    if (c <= ' ' || c > '~' || c == ':') c = '_';
  }
  return out.empty() ? "nameless" : out;
}

std::uint64_t count_from(std::string_view text) {
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

// 1204 -> "1,204": exact, unlike format_count().
std::string with_commas(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string group_words(std::string_view group) {
  for (const auto& [key, words] : kGroupWords) {
    if (key == group) return std::string(words);
  }
  return std::string(group);
}

// The causes of missing rows, and the words for them in a message.
constexpr std::array<std::pair<LossCause, std::string_view>, 5> kMissing{{
    {LossCause::kImportSkipped, "skipped"},
    {LossCause::kImportBroken, "broken"},
    {LossCause::kImportUndefined, "without the names, clocks or state that they need"},
    {LossCause::kUnmatchedEnd, "ends without a begin"},
    {LossCause::kImportCut, "bytes cut off"},
}};

// Returns text such as "812 skipped (ftrace events: sched_waking 812), 3 broken"; empty: nothing is missing.
std::string missing_in_words(const Trace& trace) {
  std::string words;
  for (const auto& [cause, name] : kMissing) {
    const std::uint64_t count = trace.losses().of(cause);
    if (count == 0) continue;
    words += (words.empty() ? "" : ", ") + with_commas(count) + " " + std::string(name);
    if (cause != LossCause::kImportSkipped) continue;
    const std::string kinds = skipped_text(skipped_kinds(trace.metadata()), kMostKindsInAnError);
    if (!kinds.empty()) words += " (" + kinds + ")";
  }
  return words;
}

}  // namespace

void SkippedKinds::add(std::string_view group, std::string_view name, std::uint64_t count) {
  if (count == 0) return;
  std::pair<std::string, std::string> key(group, plain_word(name));
  if (counts_.size() >= kMostKinds && !counts_.contains(key)) key.second = "other";
  counts_[std::move(key)] += count;
}

void SkippedKinds::add_to(Trace& trace) const {
  for (const auto& [kind, count] : counts_) {
    const std::string key = std::string(kSkippedKey) + kind.first + "." + kind.second;
    const auto before = trace.metadata().find(key);
    const std::uint64_t known = before == trace.metadata().end() ? 0 : count_from(before->second);
    trace.set_metadata(key, std::to_string(known + count));
  }
}

std::vector<SkippedKind> skipped_kinds(const std::map<std::string, std::string>& metadata) {
  std::vector<SkippedKind> kinds;
  for (const auto& [key, value] : metadata) {
    if (!key.starts_with(kSkippedKey)) continue;
    const std::string rest = key.substr(kSkippedKey.size());
    const std::size_t dot = rest.find('.');
    if (dot == std::string::npos) continue;
    kinds.push_back({rest.substr(0, dot), rest.substr(dot + 1), count_from(value)});
  }
  std::ranges::stable_sort(kinds, [](const auto& a, const auto& b) { return a.count > b.count; });
  return kinds;
}

std::string skipped_text(const std::vector<SkippedKind>& kinds, std::size_t most) {
  const std::size_t named = std::min(most, kinds.size());
  std::vector<std::string> groups;  // ordered by their most frequent kind
  for (std::size_t i = 0; i < named; ++i) {
    if (std::ranges::find(groups, kinds[i].group) == groups.end()) groups.push_back(kinds[i].group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += (text.empty() ? "" : "; ") + group_words(group) + ":";
    bool first = true;
    for (std::size_t i = 0; i < named; ++i) {
      if (kinds[i].group != group) continue;
      text += (first ? " " : ", ") + kinds[i].name + " " + with_commas(kinds[i].count);
      first = false;
    }
  }
  if (named < kinds.size()) {
    const std::size_t more = kinds.size() - named;
    text +=
        (text.empty() ? "" : "; and ") + std::to_string(more) + (more == 1 ? " more kind" : " more kinds");
  }
  return text;
}

Status check_something_is_shown(const Trace& trace) {
  const TraceCounts counts = trace.counts();
  if (counts.slices + counts.instants + counts.counter_samples != 0) return Ok{};
  const std::string missing = missing_in_words(trace);
  if (missing.empty()) return Ok{};
  return Error{"holds no slice, instant or sample that can be shown here: " + missing +
               "; open it with the tool that wrote it, or record slices, counters or scheduling"};
}

}  // namespace runahead::trace
