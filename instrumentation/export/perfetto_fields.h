// The field numbers of the Perfetto protobuf messages that are written and read here. One enumeration for
// each message, so that a field of one message cannot be used in another.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/trace/rows/track.h"

namespace runahead::exporters::perfetto {

namespace file {
enum Field : std::uint32_t { kPacket = 1 };
}

namespace packet {
enum Field : std::uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kIncrementalStateCleared = 41,  // in older files, instead of kSequenceFlags
  kPreviousPacketDropped = 42,
  kProcessDescriptor = 43,  // the sequence's process, in older files without track descriptors
  kThreadDescriptor = 44,
  kCompressedPackets = 50,
  kTimestampClockId = 58,
  kDefaults = 59,
  kTrackDescriptor = 60,
  // Our own field. Its number is far from all numbers that the format uses or will probably use.
  kEmbedded = 60119,
};
enum SequenceFlag : std::uint32_t { kStateCleared = 1, kNeedsState = 2 };
}  // namespace packet

// The embedded recording of our exports (embedded_recording.h). Packets at the end of the file contain the
// recording in chunks. The last packet (kTailBytes long) has the offset of the first chunk's packet, the hash
// of all bytes before the last packet, and the size of the recording. Other programs skip all these packets.
namespace embedded {
enum Field : std::uint32_t { kBytes = 1, kBegin = 2, kHash = 3, kTotal = 4 };
inline constexpr std::size_t kChunkBytes = 1u << 18;
inline constexpr std::size_t kTailBytes = 33;
}  // namespace embedded

namespace descriptor {
enum Field : std::uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  kStaticName = 10,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
  kAtraceName = 13,
  kDescription = 14,
  kSiblingMergeBehavior = 15,
  kSiblingMergeKey = 16,
  kSiblingMergeKeyInt = 17,
};
enum ChildOrdering : std::int32_t { kLexicographic = 1, kChronological = 2, kExplicit = 3 };
enum MergeBehavior : std::int32_t { kByName = 1, kMergeNone = 2, kByKey = 3 };
}  // namespace descriptor

namespace process {
enum Field : std::uint32_t { kPid = 1, kName = 6 };
}
namespace thread {
enum Field : std::uint32_t { kPid = 1, kTid = 2, kName = 5, kReferenceTimestampUs = 6 };
}
namespace counter {
enum Field : std::uint32_t { kType = 1, kUnit = 3, kUnitMultiplier = 4, kIsIncremental = 5, kUnitName = 6 };
enum Type : std::int32_t { kThreadTime = 1, kThreadInstructions = 2 };
enum UnitCode : std::int32_t { kNoUnit = 0, kNanoseconds = 1, kCount = 2, kBytes = 3 };
}  // namespace counter

namespace event {
enum Field : std::uint32_t {
  kTimestampDeltaUs = 1,
  kCategoryIids = 3,
  kDebugAnnotations = 4,
  kLegacyEvent = 6,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kExtraCounterValues = 12,
  kTimestampAbsoluteUs = 16,
  kCategories = 22,
  kName = 23,
  kCounterValue = 30,
  kExtraCounterTracks = 31,
  kFlowIdsOld = 36,
  kTerminatingFlowIdsOld = 42,
  kDoubleCounterValue = 44,
  kExtraDoubleTracks = 45,
  kExtraDoubleValues = 46,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
};
enum Type : std::int32_t { kUnspecified = 0, kBegin = 1, kEnd = 2, kInstant = 3, kCounterSample = 4 };
}  // namespace event

namespace legacy {
enum Field : std::uint32_t {
  kNameIid = 1,
  kPhase = 2,
  kDurationUs = 3,
  kUnscopedId = 6,
  kIdScope = 7,
  kBindId = 8,
  kLocalId = 10,
  kGlobalId = 11,
  kBindToEnclosing = 12,
  kFlowDirection = 13,
  kInstantScope = 14,
  kPidOverride = 18,
  kTidOverride = 19,
};
enum FlowDirection : std::int32_t { kIn = 1, kOut = 2, kInOut = 3 };
enum InstantScope : std::int32_t { kGlobal = 1, kProcess = 2, kThread = 3 };
}  // namespace legacy

namespace annotation {
enum Field : std::uint32_t {
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kNested = 8,
  kLegacyJson = 9,
  kName = 10,
  kDictEntries = 11,
  kArrayValues = 12,
  kStringIid = 17,
};
}  // namespace annotation

// The annotation with which our exports describe arrows. It is a list with one dictionary for each arrow, on
// the event that the arrows leave.
namespace flow_key {
inline constexpr std::string_view kAtBegin = "flows",
                                  kAtEnd = "flows_at_end";  // for arrows that leave at the slice's end
inline constexpr std::string_view kNumber = "flow", kName = "name", kKind = "kind", kOp = "op",
                                  kEngine = "engine", kFrom = "leaves_ns", kTo = "enters_ns";
}  // namespace flow_key

// The fields of an annotation value in older files.
namespace nested {
enum Field : std::uint32_t {
  kDictKeys = 2,
  kDictValues = 3,
  kArrayValues = 4,
  kInt = 5,
  kDouble = 6,
  kBool = 7,
  kString = 8,
};
}

namespace interned {
enum Field : std::uint32_t {
  kCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kAnnotationStrings = 29
};
enum Entry : std::uint32_t { kIid = 1, kText = 2 };
}  // namespace interned

namespace clocks {
enum Field : std::uint32_t { kClocks = 1, kPrimary = 2 };
enum Clock : std::uint32_t { kId = 1, kTime = 2, kIsIncremental = 3, kUnitNs = 4 };
inline constexpr std::uint32_t kMonotonic = 3, kMonotonicRaw = 5, kBoottime = 6;
// Clocks with these numbers belong to one sequence (the packets of one writer).
inline constexpr std::uint32_t kFirstOfSequence = 64, kLastOfSequence = 127;
}  // namespace clocks

// An import recognises our own files by these words. A track's description starts with them. Then follow
// words "key=value" for properties that Perfetto has no field for. The last key is "device="; its value is
// the rest of the text.
inline constexpr std::string_view kTrackWords = "Runahead track: ";
// The description of the root track, which is above all other tracks in our files. The root track fixes the
// order of the other tracks.
inline constexpr std::string_view kRootWords = "Runahead trace";

}  // namespace runahead::exporters::perfetto
