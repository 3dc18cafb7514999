// What an import skipped, by kind. LossCause::kImportSkipped says how much was skipped; the kinds say what.
// They travel as metadata of the trace, "import.skipped.GROUP.NAME" = count, so recordings and exports keep
// them. Invariant: the counts of all kinds sum to the losses' import_skipped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"

namespace runahead::trace {

// The kinds that an importer has skipped so far. A value.
class SkippedKinds {
 public:
  // `group` is "ftrace", "packet" and the like; `name` may come from the file: bytes that are no plain word
  // become '_', and what is too long is cut. Beyond 256 kinds more of a group count as its "other".
  void add(std::string_view group, std::string_view name, std::uint64_t count = 1);
  // Adds to what the trace's metadata says already.
  void add_to(Trace& trace) const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
};

struct SkippedKind {
  std::string group, name;
  std::uint64_t count = 0;
};

// The start of the keys of metadata that say kinds.
inline constexpr std::string_view kSkippedKey = "import.skipped.";

// The kinds that metadata tells, the most frequent first; equal counts by group and name.
[[nodiscard]] std::vector<SkippedKind> skipped_kinds(const std::map<std::string, std::string>& metadata);

// "ftrace events: sched_waking 1,204, binder_lock 3; packets: android_log 12". At most `most` kinds are
// named, the rest is "and 7 more kinds". Empty where nothing was skipped.
[[nodiscard]] std::string skipped_text(const std::vector<SkippedKind>& kinds, std::size_t most);

// An import that lost events and shows not one row: why, for the person, as an error; Ok for any other.
[[nodiscard]] Status check_something_is_shown(const Trace& trace);

}  // namespace runahead::trace
