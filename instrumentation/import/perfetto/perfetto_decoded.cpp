#include "instrumentation/import/perfetto/perfetto_decoded.h"

#include <bit>
#include <utility>
#include <variant>

namespace runahead::importers::perfetto {
using namespace trace;

StringId Decoded::intern(std::string_view text) {
  const auto [found, is_new] = ids_.try_emplace(std::string(text), static_cast<StringId>(strings.size()));
  if (is_new) strings.emplace_back(text);
  return found->second;
}

ArgsId Decoded::intern(ArgSet set) {
  if (set.empty()) return kNoArgs;
  std::uint64_t hash = 1469598103934665603ull;
  const auto mix = [&](std::uint64_t bits) { hash = (hash ^ bits) * 1099511628211ull; };
  for (const Arg& arg : set) {
    mix(raw(arg.key));
    mix(arg.value.index());
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value))
      mix(static_cast<std::uint64_t>(*integer));
    if (const auto* real = std::get_if<double>(&arg.value)) mix(std::bit_cast<std::uint64_t>(*real));
    if (const auto* text = std::get_if<StringId>(&arg.value)) mix(raw(*text));
  }
  const auto found = arg_sets_.find(hash);
  if (found != arg_sets_.end() && args[raw(found->second) - 1] == set) return found->second;
  args.push_back(std::move(set));
  return arg_sets_[hash] = static_cast<ArgsId>(args.size());
}

}  // namespace runahead::importers::perfetto
