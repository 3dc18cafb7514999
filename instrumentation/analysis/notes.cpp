#include "instrumentation/analysis/notes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace runahead::analysis {
namespace {
constexpr std::string_view kPrefix = "note.";
}  // namespace

std::string note_key(Timestamp at) { return std::string(kPrefix) + std::to_string(ns_from(at)); }

std::vector<Note> notes_of(const trace::Trace& trace) {
  std::vector<Note> notes;
  const auto& facts = trace.metadata();
  for (auto fact = facts.lower_bound(std::string(kPrefix));
       fact != facts.end() && fact->first.starts_with(kPrefix); ++fact) {
    const std::string_view digits = std::string_view(fact->first).substr(kPrefix.size());
    std::int64_t at_ns = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), at_ns);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || fact->second.empty()) continue;
    notes.push_back({Timestamp{Duration{at_ns}}, fact->second});
  }
  // The keys are sorted as text, so the loop above does not find the notes in time order.
  std::ranges::sort(notes, {}, &Note::at);
  return notes;
}

}  // namespace runahead::analysis
