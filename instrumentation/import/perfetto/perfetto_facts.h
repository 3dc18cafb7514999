// The fields of one TrackEvent, collected before any of them is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_decoder.h"

namespace runahead::importers::perfetto {
using namespace trace;

// The kinds of fields from which a flow id can come. Equal ids from fields of different kinds are different
// flows.
enum FlowSpace : int { kById, kByBindId, kByLegacyEvent };

struct LegacyFacts {
  std::optional<std::uint64_t> name_iid;
  char phase = 0;
  std::int64_t duration_us = 0;
  std::optional<std::uint64_t> unscoped_id, local_id, global_id, bind_id;
  std::string_view id_scope;
  bool bind_to_enclosing = false;
  std::int32_t flow_direction = 0, instant_scope = 0;
  std::optional<std::int64_t> pid_override, tid_override;
};

struct Decoder::Facts {
  std::int32_t type = 0;
  std::optional<std::uint64_t> track;
  std::optional<std::int64_t> delta_us, absolute_us;
  bool named = false;
  StringId name{};
  std::vector<StringId> categories;
  ArgSet args;
  std::optional<std::int64_t> integer_value;
  std::optional<double> real_value;
  std::vector<std::int64_t> extra_values;
  std::vector<double> extra_doubles;
  std::vector<std::uint64_t> extra_tracks, extra_double_tracks;
  std::vector<FlowMark> flows;
  std::optional<LegacyFacts> legacy;
};

}  // namespace runahead::importers::perfetto
