#include "instrumentation/causes/call_place.h"

#include <algorithm>
#include <array>

namespace runahead::causes {

ZoneClass zone_class(std::string_view name) {
  if (name.find(".py(") != name.npos) return ZoneClass::kPython;
  if (name.starts_with('<')) return ZoneClass::kBuiltIn;
  if (name.starts_with("nn.Module: ")) return ZoneClass::kRange;
  const std::size_t colons = name.find("::");
  const bool one_word = colons != name.npos && name.substr(0, colons).find(' ') == name.npos;
  return one_word ? ZoneClass::kOperator : ZoneClass::kRange;
}

bool is_library_frame(std::string_view name) {
  constexpr std::array<std::string_view, 6> kFolders{"torch/",     "site-packages/", "dist-packages/",
                                                     "lib/python", "threading.py(",  "contextlib.py("};
  return std::ranges::any_of(kFolders,
                             [name](std::string_view part) { return name.find(part) != name.npos; });
}

std::string CallPlace::text() const {
  std::string out = op;
  const std::string& where = python.empty() ? range : python;
  if (!where.empty()) out += (out.empty() ? "" : " in ") + where;
  return out;
}

CallPlace place_of(const trace::Trace& trace, const HostCall& call) {
  CallPlace place;
  bool user_frame = false, directly = true;
  const trace::Track& track = trace.track(call.thread);
  for (std::uint32_t depth = std::min<std::uint32_t>(call.depth, track.lanes.size()); depth-- > 0;) {
    const trace::Lane& lane = track.lanes[depth];
    const std::uint64_t row = lane.first_row_ending_after(call.begin);
    if (row == lane.end_row()) continue;
    const trace::Slice slice = lane.slice(row);
    if (slice.begin > call.begin || slice.kind != trace::SliceKind::kZone) continue;
    const std::string_view name = trace.string(slice.name);
    const ZoneClass what = zone_class(name);
    // NVTX ranges of PyTorch have a number of the call in their names: "aten::add, op_id = 12".
    if (what == ZoneClass::kOperator && directly) place.op = name.substr(0, name.find(", "));
    directly = directly && what == ZoneClass::kOperator;
    if (what == ZoneClass::kRange && place.range.empty()) place.range = name;
    if (what != ZoneClass::kPython || user_frame) continue;
    user_frame = !is_library_frame(name);
    if (user_frame || place.python.empty()) place.python = name;
  }
  return place;
}

}  // namespace runahead::causes
