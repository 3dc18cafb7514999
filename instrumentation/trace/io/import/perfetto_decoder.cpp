#include "instrumentation/trace/io/import/perfetto_decoder.h"

#include <algorithm>
#include <array>

#include "instrumentation/trace/io/import/inflate.h"
#include "instrumentation/trace/io/import/perfetto_facts.h"
#include "instrumentation/trace/io/import/perfetto_file.h"

namespace runahead::trace::io::perfetto {
namespace {

// What one compressed packet may become; zlib makes at most 1032 bytes of one.
constexpr std::size_t kMostInflatedBytes = 256u << 20;

// Packets about the capture and not about what happened in it: nothing is lost with them.
bool is_about_the_capture(std::uint32_t number) {
  constexpr std::array<std::uint32_t, 26> kNumbers{2,  3,  33, 35, 36, 45, 46, 47, 48, 49,  51,  55, 56,
                                                   69, 72, 75, 78, 79, 87, 89, 90, 98, 102, 107, 62, 64};
  return std::find(kNumbers.begin(), kNumbers.end(), number) != kNumbers.end();
}

}  // namespace

struct Decoder::Header {
  std::optional<std::uint64_t> timestamp;
  std::optional<std::uint32_t> clock;
  std::uint64_t sequence = 0;
  std::uint32_t flags = 0;
  bool dropped_before = false, unknown = false, carried = false;
  std::optional<std::string_view> defaults, interned, clocks, event, track, process, thread, compressed;
};

namespace {

template <typename Header>
void take_field(const Field& field, Header& out) {
  switch (field.number) {
    case packet::kTimestamp:
      out.timestamp = field.bits;
      break;
    case packet::kTimestampClockId:
      out.clock = field.uint32();
      break;
    case packet::kSequenceId:
      out.sequence = field.uint32();
      break;
    case packet::kSequenceFlags:
      out.flags |= field.uint32();
      break;
    case packet::kIncrementalStateCleared:
      if (field.bits != 0) out.flags |= packet::kStateCleared;
      break;
    case packet::kPreviousPacketDropped:
      out.dropped_before = field.bits != 0;
      break;
    case packet::kDefaults:
      out.defaults = field.bytes;
      break;
    case packet::kInternedData:
      out.interned = field.bytes;
      break;
    case packet::kClockSnapshot:
      out.clocks = field.bytes;
      break;
    case packet::kTrackEvent:
      out.event = field.bytes;
      break;
    case packet::kTrackDescriptor:
      out.track = field.bytes;
      break;
    case packet::kProcessDescriptor:
      out.process = field.bytes;
      break;
    case packet::kThreadDescriptor:
      out.thread = field.bytes;
      break;
    case packet::kCompressedPackets:
      out.compressed = field.bytes;
      break;
    case packet::kCarried:
      out.carried = true;
      break;
    default:
      out.unknown = out.unknown || !is_about_the_capture(field.number);
      break;
  }
}

}  // namespace

void Decoder::unpack(std::string_view compressed) {
  MemorySource in(compressed);
  std::string plain;
  const Inflated inflated = inflate_all(in, kMostInflatedBytes, plain);
  MemorySource packets(plain);
  const std::uint64_t cut = each_packet(packets, [this](std::string_view bytes) { packet(bytes, false); });
  if (!inflated.whole || cut != 0) lose(LossCause::kImportBroken);
}

void Decoder::packet(std::string_view bytes, bool outermost) {
  Header header;
  const bool whole = each_field(bytes, [&](const Field& field) { take_field(field, header); });
  if (whole) ++out_.packets;
  if (header.carried) {  // a part of a recording that could not be taken: of all of them, one loss
    if (out_.losses.of(LossCause::kImportStale) == 0) lose(LossCause::kImportStale);
    return;
  }
  if (!whole) return lose(LossCause::kImportBroken);
  if (header.compressed) {
    // Compressed packets within compressed ones are nothing that a writer makes.
    if (outermost) return unpack(*header.compressed);
    return lose(LossCause::kImportBroken);
  }
  if (header.unknown) lose(LossCause::kImportSkipped);
  Sequence& sequence = sequences_[header.sequence];
  update_sequence(header, sequence);
  if ((header.flags & packet::kNeedsState) != 0 && !sequence.has_state) {
    if (header.event) lose(LossCause::kImportUndefined);
    return;
  }
  if (header.track && !out_.tracks.describe(*header.track)) lose(LossCause::kImportBroken);
  if (header.process && !out_.tracks.describe_process(*header.process)) lose(LossCause::kImportBroken);
  if (header.thread) {
    std::optional<std::int64_t> reference_us;
    if (!out_.tracks.describe_thread(*header.thread, sequence.thread, reference_us))
      lose(LossCause::kImportBroken);
    if (reference_us) sequence.time_us = *reference_us;
  }
  if (header.event) {
    read_event(*header.event, header, sequence);
  } else if (header.timestamp && !header.clocks) {
    // Of no use by itself, but clocks that count from packet to packet count this one.
    (void)time_of(header, Facts{}, sequence);
  }
}

void Decoder::update_sequence(const Header& header, Sequence& sequence) {
  if (header.dropped_before) sequence.has_state = false;
  if ((header.flags & packet::kStateCleared) != 0) {
    const std::optional<NodeId> thread = sequence.thread;
    const std::int64_t time_us = sequence.time_us;
    sequence = Sequence{.thread = thread, .time_us = time_us};
  }
  if (header.clocks) read_clocks(*header.clocks, header.sequence);
  if (header.defaults) read_defaults(*header.defaults, sequence);
  if (header.interned) read_interned(*header.interned, sequence);
}

void Decoder::read_interned(std::string_view message, Sequence& sequence) {
  const auto names_of = [&](std::uint32_t number) -> Names* {
    switch (number) {
      case interned::kCategories:
        return &sequence.categories;
      case interned::kEventNames:
        return &sequence.events;
      case interned::kAnnotationNames:
        return &sequence.keys;
      case interned::kAnnotationStrings:
        return &sequence.texts;
      default:
        return nullptr;
    }
  };
  const bool whole = each_field(message, [&](const Field& field) {
    Names* names = names_of(field.number);
    if (names == nullptr) return;
    std::uint64_t iid = 0;
    std::string_view text;
    if (!each_field(field.bytes, [&](const Field& entry) {
          if (entry.number == interned::kIid) iid = entry.bits;
          if (entry.number == interned::kText) text = entry.bytes;
        })) {
      lose(LossCause::kImportBroken);
    }
    (*names)[iid] = intern(text);
  });
  if (!whole) lose(LossCause::kImportBroken);
}

void Decoder::read_defaults(std::string_view message, Sequence& sequence) {
  Defaults defaults;
  bool whole = true;
  const auto add_to = [&](std::vector<std::uint64_t>& list, const Field& field) {
    whole = each_number(field, false, [&](std::uint64_t bits) { list.push_back(bits); }) && whole;
  };
  const auto of_events = [&](const Field& field) {
    if (field.number == event::kTrackUuid) defaults.track = field.bits;
    if (field.number == event::kExtraCounterTracks) add_to(defaults.extra_tracks, field);
    if (field.number == event::kExtraDoubleTracks) add_to(defaults.extra_double_tracks, field);
  };
  whole = each_field(message,
                     [&](const Field& field) {
                       if (field.number == packet::kTimestampClockId) defaults.clock = field.uint32();
                       if (field.number == packet::kTrackEvent)
                         whole = each_field(field.bytes, of_events) && whole;
                     }) &&
          whole;
  if (!whole) lose(LossCause::kImportBroken);
  sequence.defaults = std::move(defaults);
}

void Decoder::read_clocks(std::string_view message, std::uint64_t sequence) {
  std::vector<ClockTable::Reading> readings;
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == clocks::kPrimary) out_.clocks.set_primary(field.uint32());
    if (field.number != clocks::kClocks) return;
    ClockTable::Reading reading;
    if (!each_field(field.bytes, [&](const Field& part) {
          if (part.number == clocks::kId) reading.id = part.uint32();
          if (part.number == clocks::kTime) reading.time = part.bits;
          if (part.number == clocks::kIsIncremental) reading.incremental = part.bits != 0;
          if (part.number == clocks::kUnitNs) reading.unit_ns = part.bits;
        })) {
      lose(LossCause::kImportBroken);
    }
    readings.push_back(reading);
  });
  if (!whole) lose(LossCause::kImportBroken);
  out_.clocks.add_snapshot(sequence, readings);
}

std::optional<ClockTime> Decoder::time_of(const Header& header, const Facts& facts, Sequence& sequence) {
  if (header.timestamp) {
    const std::optional<std::uint32_t> clock = header.clock ? header.clock : sequence.defaults.clock;
    return out_.clocks.read(header.sequence, clock, *header.timestamp);
  }
  if (!facts.delta_us && !facts.absolute_us) return std::nullopt;
  std::int64_t us = facts.absolute_us.value_or(0);
  if (facts.delta_us) {
    constexpr std::int64_t kMostUs = std::int64_t{1} << 52;
    us = sequence.time_us =
        std::clamp(sequence.time_us, -kMostUs, kMostUs) + std::clamp(*facts.delta_us, -kMostUs, kMostUs);
  }
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0));
  // Before packets had times, events told those of the monotonic clock.
  return out_.clocks.read_us(clocks::kMonotonic, ns);
}

// ---- names ------------------------------------------------------------------------------------------------

StringId Decoder::intern(std::string_view text) {
  const auto [found, is_new] =
      ids_.try_emplace(std::string(text), static_cast<StringId>(out_.strings.size()));
  if (is_new) out_.strings.emplace_back(text);
  return found->second;
}

StringId Decoder::look_up(const Names& names, std::uint64_t iid) {
  const auto found = names.find(iid);
  if (found != names.end()) return found->second;
  lose(LossCause::kImportUndefined);
  return kEmptyString;
}

ArgsId Decoder::intern(ArgSet set) {
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
  if (found != arg_sets_.end() && out_.args[raw(found->second) - 1] == set) return found->second;
  out_.args.push_back(std::move(set));
  return arg_sets_[hash] = static_cast<ArgsId>(out_.args.size());
}

std::uint64_t Decoder::flow_number(int space, StringId category, StringId name, std::uint64_t id) {
  return flow_numbers_.try_emplace({space, category, name, id}, flow_numbers_.size()).first->second;
}

}  // namespace runahead::trace::io::perfetto
