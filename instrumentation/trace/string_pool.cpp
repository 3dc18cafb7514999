#include "instrumentation/trace/string_pool.h"

#include "instrumentation/base/check.h"

namespace runahead::trace {

StringId StringPool::add(std::string_view text) {
  const auto stored = arena_.store(std::span<const char>(text.data(), text.size()));
  views_.push_back({stored.data(), stored.size()});
  return StringId(static_cast<std::uint32_t>(views_.size() - 1));
}

std::string_view StringPool::of(StringId id) const {
  RUNAHEAD_CHECK_OP(raw(id), <, views_.size());
  return views_[raw(id)];
}

std::optional<StringId> StringPool::find(std::string_view text) const {
  for (std::uint64_t i = 0; i < views_.size(); ++i) {
    if (views_[i] == text) return StringId(static_cast<std::uint32_t>(i));
  }
  return std::nullopt;
}

ArgsId ArgsTable::add(std::span<const Arg> set) {
  sets_.push_back(arena_.store(set));
  return ArgsId(static_cast<std::uint32_t>(sets_.size()));
}

std::span<const Arg> ArgsTable::of(ArgsId id) const {
  if (id == kNoArgs) return {};
  RUNAHEAD_CHECK_OP(raw(id), <=, sets_.size());
  return sets_[raw(id) - 1];
}

}  // namespace runahead::trace
