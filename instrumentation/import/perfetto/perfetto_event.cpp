// Reads the fields of TrackEvents and makes events from these fields. The type of a TrackEvent decides the
// kind of the event. In older files, the phase of the TrackEvent decides.
#include <algorithm>
#include <limits>

#include "instrumentation/import/perfetto/perfetto_facts.h"

namespace runahead::importers::perfetto {
using namespace trace;
// ---- fields -----------------------------------------------------------------------------------------------

bool Decoder::gather_legacy(std::string_view message, Facts& facts) {
  LegacyFacts& legacy = facts.legacy.emplace();
  return each_field(message, [&](const Field& field) {
    switch (field.number) {
      case legacy::kNameIid:
        legacy.name_iid = field.bits;
        break;
      case legacy::kPhase:
        legacy.phase = static_cast<char>(field.bits);
        break;
      case legacy::kDurationUs:
        legacy.duration_us = field.integer();
        break;
      case legacy::kUnscopedId:
        legacy.unscoped_id = field.bits;
        break;
      case legacy::kLocalId:
        legacy.local_id = field.bits;
        break;
      case legacy::kGlobalId:
        legacy.global_id = field.bits;
        break;
      case legacy::kBindId:
        legacy.bind_id = field.bits;
        break;
      case legacy::kIdScope:
        legacy.id_scope = field.bytes;
        break;
      case legacy::kBindToEnclosing:
        legacy.bind_to_enclosing = field.bits != 0;
        break;
      case legacy::kFlowDirection:
        legacy.flow_direction = field.int32();
        break;
      case legacy::kInstantScope:
        legacy.instant_scope = field.int32();
        break;
      case legacy::kPidOverride:
        legacy.pid_override = field.int32();
        break;
      case legacy::kTidOverride:
        legacy.tid_override = field.int32();
        break;
      default:
        break;
    }
  });
}

bool Decoder::gather(std::string_view message, Sequence& sequence, Facts& facts) {
  bool whole = true;
  const auto numbers = [&](const Field& field, bool wide, auto visit) {
    whole = each_number(field, wide, visit) && whole;
  };
  const auto flows = [&](const Field& field, bool wide, FlowMark::Step step) {
    numbers(field, wide, [&](std::uint64_t id) {
      facts.flows.push_back({step, flow_number(kById, kEmptyString, kEmptyString, id)});
    });
  };
  const auto visit = [&](const Field& field) {
    switch (field.number) {
      case event::kTimestampDeltaUs:
        facts.delta_us = field.integer();
        break;
      case event::kTimestampAbsoluteUs:
        facts.absolute_us = field.integer();
        break;
      case event::kType:
        facts.type = field.int32();
        break;
      case event::kTrackUuid:
        facts.track = field.bits;
        break;
      case event::kNameIid:
        facts.named = true;
        facts.name = look_up(sequence.events, field.bits);
        break;
      case event::kName:
        facts.named = true;
        facts.name = intern(field.bytes);
        break;
      case event::kCategoryIids:
        numbers(field, false,
                [&](std::uint64_t iid) { facts.categories.push_back(look_up(sequence.categories, iid)); });
        break;
      case event::kCategories:
        facts.categories.push_back(intern(field.bytes));
        break;
      case event::kDebugAnnotations:
        if (!take_own_flows(field.bytes, sequence)) read_annotation(field.bytes, sequence, {}, 0, facts.args);
        break;
      case event::kLegacyEvent:
        whole = gather_legacy(field.bytes, facts) && whole;
        break;
      case event::kCounterValue:
        facts.integer_value = field.integer();
        break;
      case event::kDoubleCounterValue:
        facts.real_value = field.real();
        break;
      case event::kExtraCounterTracks:
        numbers(field, false, [&](std::uint64_t bits) { facts.extra_tracks.push_back(bits); });
        break;
      case event::kExtraDoubleTracks:
        numbers(field, false, [&](std::uint64_t bits) { facts.extra_double_tracks.push_back(bits); });
        break;
      case event::kExtraCounterValues:
        numbers(field, false,
                [&](std::uint64_t bits) { facts.extra_values.push_back(static_cast<std::int64_t>(bits)); });
        break;
      case event::kExtraDoubleValues:
        numbers(field, true,
                [&](std::uint64_t bits) { facts.extra_doubles.push_back(std::bit_cast<double>(bits)); });
        break;
      case event::kFlowIds:
        flows(field, true, FlowMark::Step::kThrough);
        break;
      case event::kFlowIdsOld:
        flows(field, false, FlowMark::Step::kThrough);
        break;
      case event::kTerminatingFlowIds:
        flows(field, true, FlowMark::Step::kEnds);
        break;
      case event::kTerminatingFlowIdsOld:
        flows(field, false, FlowMark::Step::kEnds);
        break;
      default:
        break;  // other fields are not read, such as typed arguments of Chrome and Android
    }
  };
  return each_field(message, visit) && whole;
}

// ---- from fields to events --------------------------------------------------------------------------------

void Decoder::read_event(std::string_view message, const Header& header, Sequence& sequence) {
  Facts facts;
  const bool whole = gather(message, sequence, facts);
  const std::optional<ClockTime> time = time_of(header, facts, sequence);
  if (!whole) return lose(LossCause::kImportBroken);
  if (!time) return lose(LossCause::kImportUndefined);
  if (facts.legacy && facts.legacy->name_iid && !facts.named) {
    facts.named = true;
    facts.name = look_up(sequence.events, *facts.legacy->name_iid);
  }
  emit_extras(facts, *time, sequence);
  if (facts.type == event::kCounterSample) return emit_sample(facts, *time, sequence);
  const NodeId track = track_of(facts, sequence);
  add_bind_flow(facts);
  if (facts.type == event::kUnspecified && facts.legacy) return emit_legacy(facts, *time, track);
  emit(facts, *time, track);
}

NodeId Decoder::track_of(const Facts& facts, const Sequence& sequence) {
  NodeId track{};
  if (facts.track) {
    track = out_.tracks.by_uuid(*facts.track);
  } else if (sequence.defaults.track) {
    track = out_.tracks.by_uuid(*sequence.defaults.track);
  } else if (sequence.thread) {
    track = *sequence.thread;
  } else {
    track = out_.tracks.by_uuid(0);
  }
  if (!facts.legacy || (!facts.legacy->pid_override && !facts.legacy->tid_override)) return track;
  const TrackNode& node = out_.tracks.node(track);
  return out_.tracks.thread(facts.legacy->pid_override.value_or(node.pid),
                            facts.legacy->tid_override.value_or(node.tid));
}

// In older files, an event may state its flow by a bind id and a direction.
void Decoder::add_bind_flow(Facts& facts) {
  if (!facts.legacy || !facts.legacy->bind_id) return;
  const std::uint64_t flow = flow_number(kByBindId, kEmptyString, kEmptyString, *facts.legacy->bind_id);
  switch (facts.legacy->flow_direction) {
    case legacy::kOut:
      facts.flows.push_back({FlowMark::Step::kBegins, flow});
      break;
    case legacy::kInOut:
      facts.flows.push_back({FlowMark::Step::kThrough, flow});
      break;
    case legacy::kIn:
      facts.flows.push_back({FlowMark::Step::kEnters, flow});
      break;
    default:
      break;
  }
}

void Decoder::emit(const Facts& facts, ClockTime time, NodeId track) {
  switch (facts.type) {
    case event::kBegin:
      return add_event(facts, EventKind::kBegin, time, track);
    case event::kEnd:
      return add_event(facts, EventKind::kEnd, time, track);
    case event::kInstant:
      return add_event(facts, EventKind::kInstant, time, track);
    default:
      // An event without a type is only used for its extra counters.
      if (facts.extra_values.empty() && facts.extra_doubles.empty())
        out_.skip("event", "track_event_untyped");
  }
}

void Decoder::emit_legacy(Facts& facts, ClockTime time, NodeId track) {
  const LegacyFacts& legacy = *facts.legacy;
  const std::uint64_t id =
      legacy.unscoped_id.value_or(legacy.local_id.value_or(legacy.global_id.value_or(0)));
  const auto point = [&](FlowMark::Step step) {
    const StringId category = facts.categories.empty() ? kEmptyString : facts.categories.front();
    facts.flows.push_back({step, flow_number(kByLegacyEvent, category, facts.name, id)});
    add_event(facts, EventKind::kPoint, time, track);
  };
  switch (legacy.phase) {
    case 'B':
      return add_event(facts, EventKind::kBegin, time, track);
    case 'E':
      return add_event(facts, EventKind::kEnd, time, track);
    case 'X':
      return add_event(facts, EventKind::kComplete, time, track);
    case 'i':
    case 'I':
    case 'R': {
      const TrackNode& node = out_.tracks.node(track);
      if (legacy.instant_scope == legacy::kProcess) track = out_.tracks.process(node.pid);
      if (legacy.instant_scope == legacy::kGlobal) track = out_.tracks.by_uuid(0);
      return add_event(facts, EventKind::kInstant, time, track);
    }
    case 's':
      return point(FlowMark::Step::kBegins);
    case 't':
      return point(FlowMark::Step::kThrough);
    case 'f':
      return point(legacy.bind_to_enclosing ? FlowMark::Step::kEnds : FlowMark::Step::kEndsAtNext);
    case 'C':
      return emit_legacy_counter(facts, time, track);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
      return emit_legacy_async(facts, time, track);
    default:
      return out_.skip("phase", std::string_view(&legacy.phase, 1));
  }
}

void Decoder::emit_legacy_async(const Facts& facts, ClockTime time, NodeId track) {
  const LegacyFacts& legacy = *facts.legacy;
  const std::int64_t pid = out_.tracks.node(track).pid;
  const std::uint64_t id =
      legacy.unscoped_id.value_or(legacy.local_id.value_or(legacy.global_id.value_or(0)));
  std::string scope(legacy.id_scope);
  if (scope.empty() && !facts.categories.empty()) scope = out_.strings[raw(facts.categories.front())];
  // A local id is valid only within its process. The other ids are global.
  scope += legacy.local_id ? "/local/" + std::to_string(pid) : std::string();
  const NodeId life = out_.tracks.async(pid, scope, id, out_.strings[raw(facts.name)]);
  switch (legacy.phase) {
    case 'b':
    case 'S':
      return add_event(facts, EventKind::kBegin, time, life);
    case 'e':
    case 'F':
      return add_event(facts, EventKind::kEnd, time, life);
    default:
      return add_event(facts, EventKind::kInstant, time, life);
  }
}

// ---- counters ---------------------------------------------------------------------------------------------

void Decoder::emit_legacy_counter(const Facts& facts, ClockTime time, NodeId track) {
  const std::int64_t pid = out_.tracks.node(track).pid;
  for (const Arg& arg : facts.args) {
    double value = 0;
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
      value = static_cast<double>(*integer);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      value = *real;
    } else {
      out_.skip("event", "counter_without_number");
      continue;
    }
    std::string name = out_.strings[raw(facts.name)];
    if (facts.args.size() > 1) name += " " + out_.strings[raw(arg.key)];
    out_.samples.push_back({time, out_.tracks.named_counter(pid, name), value});
  }
}

void Decoder::add_sample(std::uint64_t uuid, std::int64_t value, ClockTime time, Sequence& sequence) {
  if (out_.tracks.node(out_.tracks.by_uuid(uuid)).incremental) {
    std::int64_t& sum = sequence.counters[uuid];
    // The addition is modulo 2^64, because the sum in a damaged file may overflow.
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
    value = sum;
  }
  add_sample(uuid, static_cast<double>(value), time);
}

void Decoder::add_sample(std::uint64_t uuid, double value, ClockTime time) {
  const NodeId track = out_.tracks.by_uuid(uuid);
  const std::int64_t multiplier = out_.tracks.node(track).multiplier;
  if (multiplier != 0) value *= static_cast<double>(multiplier);
  out_.samples.push_back({time, track, value});
}

void Decoder::emit_sample(const Facts& facts, ClockTime time, Sequence& sequence) {
  const std::optional<std::uint64_t> uuid = facts.track ? facts.track : sequence.defaults.track;
  if (facts.integer_value) {
    add_sample(uuid.value_or(0), *facts.integer_value, time, sequence);
  } else if (facts.real_value) {
    add_sample(uuid.value_or(0), *facts.real_value, time);
  } else {
    out_.skip("event", "counter_without_number");
  }
}

void Decoder::emit_extras(const Facts& facts, ClockTime time, Sequence& sequence) {
  const auto& tracks = facts.extra_tracks.empty() ? sequence.defaults.extra_tracks : facts.extra_tracks;
  const auto& double_tracks =
      facts.extra_double_tracks.empty() ? sequence.defaults.extra_double_tracks : facts.extra_double_tracks;
  for (std::size_t i = 0; i < facts.extra_values.size(); ++i) {
    if (i >= tracks.size()) return lose(LossCause::kImportUndefined);
    add_sample(tracks[i], facts.extra_values[i], time, sequence);
  }
  for (std::size_t i = 0; i < facts.extra_doubles.size(); ++i) {
    if (i >= double_tracks.size()) return lose(LossCause::kImportUndefined);
    add_sample(double_tracks[i], facts.extra_doubles[i], time);
  }
}

// ---- events -----------------------------------------------------------------------------------------------

void Decoder::add_event(const Facts& facts, EventKind kind, ClockTime time, NodeId track) {
  Event event{.time = time, .track = track, .kind = kind, .name = facts.name};
  event.by_name = kind == EventKind::kEnd && facts.name != kEmptyString;
  if (kind == EventKind::kComplete && facts.legacy) {
    constexpr std::int64_t kMostUs = std::int64_t{1} << 50;
    event.duration_ns = std::clamp(facts.legacy->duration_us, -kMostUs, kMostUs) * 1000;
  }
  if (kind != EventKind::kEnd && kind != EventKind::kPoint) fill_args(facts, event);
  event.first_flow = static_cast<std::uint32_t>(out_.flows.size());
  event.flow_count = static_cast<std::uint32_t>(facts.flows.size());
  out_.flows.insert(out_.flows.end(), facts.flows.begin(), facts.flows.end());
  out_.events.push_back(event);
}

}  // namespace runahead::importers::perfetto
