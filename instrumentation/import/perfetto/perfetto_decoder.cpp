#include "instrumentation/import/perfetto/perfetto_decoder.h"

#include <algorithm>

#include "instrumentation/files/inflate.h"
#include "instrumentation/import/perfetto/perfetto_facts.h"
#include "instrumentation/import/perfetto/perfetto_file.h"
#include "instrumentation/import/perfetto/perfetto_ftrace_fields.h"
#include "instrumentation/import/perfetto/perfetto_kinds.h"

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Size limit of one decompressed packet. zlib may expand each byte to 1032 bytes, so without a limit a small
// packet could fill the memory.
constexpr std::size_t kMostInflatedBytes = 256u << 20;

}  // namespace

struct Decoder::Header {
  std::optional<std::uint64_t> timestamp;
  std::optional<std::uint32_t> clock;
  std::uint64_t sequence = 0;
  std::uint32_t flags = 0;
  bool dropped_before = false, embedded = false;
  std::optional<std::string_view> defaults, interned, clocks, event, track, process, thread, compressed;
  std::optional<Field> system;  // the data of a packet from the kernel or from a system probe
  std::optional<std::uint32_t> unknown;
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
    case packet::kEmbedded:
      out.embedded = true;
      break;
    case system_packet::kFtraceEvents:
    case system_packet::kProcessTree:
    case system_packet::kSysStats:
    case system_packet::kProcessStats:
    case system_packet::kBattery:
    case system_packet::kPowerRails:
    case system_packet::kGpuMemTotal:
    case system_packet::kFrameTimeline:
      out.system = field;
      break;
    default:
      if (!is_about_the_capture(field.number)) out.unknown = field.number;
      break;
  }
}

}  // namespace

void Decoder::unpack(std::string_view compressed) {
  files::MemorySource in(compressed);
  std::string plain;
  const files::Inflated inflated = files::inflate_all(in, kMostInflatedBytes, plain);
  files::MemorySource packets(plain);
  const std::uint64_t cut = each_packet(packets, [this](std::string_view bytes) { packet(bytes, false); });
  if (!inflated.whole || cut != 0) lose(LossCause::kImportBroken);
}

void Decoder::packet(std::string_view bytes, bool outermost) {
  Header header;
  const bool whole = each_field(bytes, [&](const Field& field) { take_field(field, header); });
  if (whole) ++out_.packets;
  // This packet contains a part of an embedded recording that cannot be used. All parts of this recording
  // together count as one loss.
  if (header.embedded) {
    if (out_.losses.of(LossCause::kImportStale) == 0) lose(LossCause::kImportStale);
    return;
  }
  if (!whole) return lose(LossCause::kImportBroken);
  if (header.compressed) {
    // No writer nests compressed packets, so a nested one counts as damage.
    if (outermost) return unpack(*header.compressed);
    return lose(LossCause::kImportBroken);
  }
  if (header.unknown) out_.skip("packet", packet_kind(*header.unknown));
  Sequence& sequence = sequences_[header.sequence];
  update_sequence(header, sequence);
  if ((header.flags & packet::kNeedsState) != 0 && !sequence.has_state) {
    if (header.event || header.system) lose(LossCause::kImportUndefined);
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
  if (header.event) return read_event(*header.event, header, sequence);
  std::optional<ClockTime> time;
  // The time of every packet must be read, because an incremental clock is the sum of the differences in all
  // packets.
  if (header.timestamp && !header.clocks) time = time_of(header, Facts{}, sequence);
  if (header.system) read_system(header, time);
}

void Decoder::read_system(const Header& header, std::optional<ClockTime> time) {
  const std::string_view message = header.system->bytes;
  if (header.system->number == system_packet::kFtraceEvents) return ftrace_.bundle(message);
  if (header.system->number == system_packet::kProcessTree) return stats_.process_tree(message);
  if (!time) return lose(LossCause::kImportUndefined);
  switch (header.system->number) {
    case system_packet::kSysStats:
      return stats_.sys_stats(message, *time);
    case system_packet::kProcessStats:
      return stats_.process_stats(message, *time);
    case system_packet::kBattery:
      return stats_.battery(message, *time);
    case system_packet::kPowerRails:
      return stats_.power_rails(message, header.sequence, *time);
    case system_packet::kFrameTimeline:
      return frames_.read(message, *time);
    default:
      return stats_.gpu_mem_total(message, *time);
  }
}

Decoded Decoder::take() {
  tasks_.resolve();
  ftrace_.finish();
  tasks_.name_tracks();
  return std::move(out_);
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
  // In old files packets have no times; their events use the monotonic clock.
  return out_.clocks.read_us(clocks::kMonotonic, ns);
}

// ---- names ------------------------------------------------------------------------------------------------

StringId Decoder::look_up(const Names& names, std::uint64_t iid) {
  const auto found = names.find(iid);
  if (found != names.end()) return found->second;
  lose(LossCause::kImportUndefined);
  return kEmptyString;
}

std::uint64_t Decoder::flow_number(int space, StringId category, StringId name, std::uint64_t id) {
  return flow_numbers_.try_emplace({space, category, name, id}, flow_numbers_.size()).first->second;
}

}  // namespace runahead::importers::perfetto
