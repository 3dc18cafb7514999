#include "instrumentation/import/perfetto/perfetto_frames.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "instrumentation/import/common/small_message.h"

namespace runahead::importers::perfetto {
using namespace trace;

// The field numbers in the begin message of a frame; 0: the message has no such field.
struct FrameReader::Fields {
  std::uint32_t event = 0;  // number of the field of FrameTimelineEvent that contains the begin message
  std::string_view track;
  std::uint32_t pid = 0, layer = 0, present = 0, jank = 0;
};

namespace {

constexpr std::uint32_t kFrameEnd = 5, kCookie = 1, kToken = 2;

constexpr std::array<std::string_view, 6> kPresentTypes{"unspecified", "on time", "late",
                                                        "early",       "dropped", "unknown"};
// Why a frame was janky (late); index: bit of the jank field. Values 0 and 1 of this field mean that the
// frame was not late.
constexpr std::array<std::string_view, 11> kJankReasons{"none",
                                                        "composer scheduling",
                                                        "prediction error",
                                                        "display HAL",
                                                        "composer CPU deadline missed",
                                                        "composer GPU deadline missed",
                                                        "app deadline missed",
                                                        "buffer stuffing",
                                                        "unknown",
                                                        "composer stuffing",
                                                        "dropped"};

std::string jank_text(std::uint32_t bits) {
  std::string text;
  for (std::size_t i = 0; i < kJankReasons.size(); ++i) {
    if ((bits >> i & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(kJankReasons[i]);
  }
  return text;
}

}  // namespace

// A cookie is an id that belongs to only one frame of the file. The end message of a frame states only the
// cookie, so the cookie alone finds the track.
NodeId FrameReader::track(std::int64_t pid, std::int64_t cookie, std::string_view name) {
  return out_.tracks.async(pid, "frame timeline", static_cast<std::uint64_t>(cookie), name);
}

void FrameReader::read(std::string_view message, ClockTime time) {
  static constexpr Fields kBegins[] = {
      {1, "Expected Timeline", 3, 0, 0, 0},
      {2, "Actual Timeline", 3, 0, 4, 7},
      {3, "Expected Timeline", 4, 5, 0, 0},
      {4, "Actual Timeline", 4, 5, 6, 9},
  };
  std::optional<Field> told;
  const bool whole = each_field(message, [&](const Field& field) { told = field; });
  if (!whole) return out_.lose(LossCause::kImportBroken);
  if (told && told->number == kFrameEnd) return end(told->bytes, time);
  const auto* fields = std::ranges::find(kBegins, told ? told->number : 0, &Fields::event);
  if (fields == std::end(kBegins)) return out_.skip("packet", "frame_timeline_event");
  begin(*fields, told->bytes, time);
}

void FrameReader::begin(const Fields& fields, std::string_view message, ClockTime time) {
  const SmallMessage told(message);
  if (!told.whole()) return out_.lose(LossCause::kImportBroken);
  Event event{.time = time, .kind = EventKind::kBegin};
  event.track = track(told.int32(fields.pid), told.integer(kCookie), fields.track);
  event.name = out_.intern(std::to_string(told.integer(kToken)));
  event.first_flow = static_cast<std::uint32_t>(out_.flows.size());
  ArgSet args;
  if (fields.layer != 0 && told.has(fields.layer))
    args.push_back({out_.intern("layer"), out_.intern(told.text(fields.layer))});
  if (fields.present != 0 && told.uint32(fields.present) < kPresentTypes.size())
    args.push_back({out_.intern("presented"), out_.intern(kPresentTypes[told.uint32(fields.present)])});
  if (fields.jank != 0 && told.bits(fields.jank) != 0)
    args.push_back({out_.intern("jank"), out_.intern(jank_text(told.uint32(fields.jank)))});
  event.args = out_.intern(std::move(args));
  out_.events.push_back(event);
}

void FrameReader::end(std::string_view message, ClockTime time) {
  const SmallMessage told(message);
  if (!told.whole()) return out_.lose(LossCause::kImportBroken);
  Event event{.time = time, .kind = EventKind::kEnd};
  event.track = track(0, told.integer(kCookie), {});
  event.first_flow = static_cast<std::uint32_t>(out_.flows.size());
  out_.events.push_back(event);
}

}  // namespace runahead::importers::perfetto
