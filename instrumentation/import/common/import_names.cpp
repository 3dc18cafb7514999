#include "instrumentation/import/common/import_names.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::size_t kFlushBytes = 1u << 20;

}  // namespace

ImportNames::ImportNames(Trace& trace)
    : trace_(trace), strings_(trace.string_count()), flushed_strings_(strings_), table_(1024) {}

std::string_view ImportNames::text(StringId id) const {
  const std::uint64_t index = raw(id);
  return index < flushed_strings_ ? trace_.string(id) : pending_.strings[index - flushed_strings_];
}

StringId ImportNames::intern(std::string_view text_in) {
  if (text_in.empty()) return kEmptyString;
  const std::size_t full = std::hash<std::string_view>{}(text_in);
  const auto hash = static_cast<std::uint32_t>(full ^ full >> 32);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at].id != 0; at = (at + 1) & mask) {
    if (table_[at].hash == hash && text(StringId{table_[at].id}) == text_in) return StringId{table_[at].id};
  }
  const auto id = static_cast<std::uint32_t>(strings_++);
  table_[at] = {hash, id};
  pending_.strings.emplace_back(text_in);
  pending_bytes_ += text_in.size() + sizeof(std::string);
  if (2 * strings_ > table_.size()) grow();
  if (pending_bytes_ > kFlushBytes) flush();
  return StringId{id};
}

void ImportNames::grow() {
  std::vector<Entry> larger(2 * table_.size());
  const std::size_t mask = larger.size() - 1;
  for (const Entry& entry : table_) {
    if (entry.id == 0) continue;
    std::size_t at = entry.hash & mask;
    while (larger[at].id != 0) at = (at + 1) & mask;
    larger[at] = entry;
  }
  table_ = std::move(larger);
}

std::optional<double> ImportNames::number(const ArgValue& value) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const std::string_view words = text(std::get<StringId>(value));
  double parsed = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), parsed);
  if (words.empty() || error != std::errc() || end != words.data() + words.size()) return std::nullopt;
  return parsed;
}

std::optional<double> ImportNames::finite(const ArgValue& value) const {
  const std::optional<double> found = number(value);
  return found && std::isfinite(*found) ? found : std::nullopt;
}

ArgsId ImportNames::add_args(const ArgSet& set) { return set.empty() ? kNoArgs : trace_.add_args(set); }

void ImportNames::flush() {
  trace_.append(std::move(pending_));
  pending_ = Batch{};
  pending_bytes_ = 0;
  flushed_strings_ = strings_;
}

}  // namespace runahead::importers
