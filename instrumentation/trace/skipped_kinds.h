// Kinds of events that an import skipped. LossCause::kImportSkipped counts these events; the kinds say what
// these events were. The kinds are stored as metadata of the trace, "import.skipped.GROUP.NAME" = count, so
// recordings and exports keep them. Invariant: the counts of all kinds add up to the count of
// LossCause::kImportSkipped.
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

// The kinds that an importer has skipped so far. A value type.
class SkippedKinds {
 public:
  // `group` is "ftrace", "packet" and so on. `name` may come from the file: spaces, colons and characters
  // other than printable ASCII become '_', and a name of more than 64 bytes is cut. After 256 kinds, each new
  // kind is counted as the kind "other" of its group.
  void add(std::string_view group, std::string_view name, std::uint64_t count = 1);
  // Adds the counts of this SkippedKinds to the counts in the trace's metadata.
  void add_to(Trace& trace) const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
};

struct SkippedKind {
  std::string group, name;
  std::uint64_t count = 0;
};

// The prefix of the metadata keys for kinds.
inline constexpr std::string_view kSkippedKey = "import.skipped.";

// The kinds in the metadata, most frequent first; at equal counts by group and name.
[[nodiscard]] std::vector<SkippedKind> skipped_kinds(const std::map<std::string, std::string>& metadata);

// Returns text such as "ftrace events: sched_waking 1,204, binder_lock 3; packets: android_log 12". It names
// at most `most` kinds. If there are more, the text ends with words such as "and 7 more kinds". Empty:
// nothing was skipped.
[[nodiscard]] std::string skipped_text(const std::vector<SkippedKind>& kinds, std::size_t most);

// Returns an error if an import lost events and has not a single row to show; the error says why. Ok for any
// other trace.
[[nodiscard]] Status check_something_is_shown(const Trace& trace);

}  // namespace runahead::trace
