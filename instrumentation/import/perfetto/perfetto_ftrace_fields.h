// Field numbers of Perfetto's system messages: ftrace, process lists, statistics. We read them and never
// write them. There is one enumeration for each message, as in perfetto_fields.h.
#pragma once

#include <cstdint>

namespace runahead::importers::perfetto {

// Fields of TracePacket.
namespace system_packet {
enum Field : std::uint32_t {
  kFtraceEvents = 1,
  kProcessTree = 2,
  kSysStats = 7,
  kProcessStats = 9,
  kBattery = 38,
  kPowerRails = 40,
  kGpuMemTotal = 71,
  kFrameTimeline = 76,
};
}

namespace ftrace_bundle {
enum Field : std::uint32_t {
  kCpu = 1,
  kEvent = 2,
  kCompactSched = 4,
  kClock = 5,
  kFtraceTimestamp = 6,
  kBootTimestamp = 7,
};
// All other values mean clocks that only ftrace uses.
enum Clock : std::uint32_t { kBoottime = 0, kMonotonicRaw = 4 };
}  // namespace ftrace_bundle

namespace compact_sched {
enum Field : std::uint32_t {
  kSwitchTimestamp = 1,
  kSwitchPrevState = 2,
  kSwitchNextPid = 3,
  kSwitchNextPrio = 4,
  kInternTable = 5,
  kSwitchNextComm = 6,
  kWakingTimestamp = 7,
  kWakingPid = 8,
  kWakingComm = 11,
  kFields = 12,  // one more than the largest field number that we read
};
}

// Fields of FtraceEvent: the fields of every event, and the event kinds that we read.
namespace ftrace_event {
enum Field : std::uint32_t {
  kTimestamp = 1,
  kPid = 2,
  kPrint = 3,
  kSchedSwitch = 4,
  kCpuFrequency = 11,
  kCpuIdle = 13,
  kClockEnable = 14,
  kClockDisable = 15,
  kClockSetRate = 16,
  kSchedWakeup = 17,
  kSchedWaking = 20,
  kSoftirqEntry = 24,
  kSoftirqExit = 25,
  kIrqEntry = 36,
  kIrqExit = 37,
  kDirectReclaimBegin = 46,
  kDirectReclaimEnd = 47,
  kBinderTransaction = 50,
  kBinderReceived = 51,
  kTracingMarkWrite = 80,
  kSchedWakeupNew = 114,
  kTaskNewtask = 235,
  kTaskRename = 236,
  kSchedProcessExit = 238,
  kRssStat = 313,
  kIonHeapShrink = 314,
  kIonHeapGrow = 315,
  kClkEnable = 320,
  kClkDisable = 321,
  kClkSetRate = 322,
  kOomScoreAdj = 326,
  kGeneric = 327,
  kMmEvent = 328,
  kZero = 331,
  kGpuFrequency = 332,
  kSdeMarkWrite = 333,
  kIonStat = 335,
  kGpuMemTotal = 340,
  kThermalTemperature = 341,
  kCdevUpdate = 342,
  kDpuMarkWrite = 348,
  kG2dMarkWrite = 349,
  kMaliMarkWrite = 350,
  kDmaHeapStat = 351,
  kRssStatThrottled = 359,
  kLwisMarkWrite = 467,
  kSamsungMarkWrite = 484,
};
}

namespace process_tree {
enum Field : std::uint32_t { kProcesses = 1, kThreads = 2 };
enum Process : std::uint32_t { kPid = 1, kParentPid = 2, kCmdline = 3, kThreadsOfOld = 4 };
enum Thread : std::uint32_t { kTid = 1, kName = 2, kTgid = 3 };
}  // namespace process_tree

namespace process_stats {
enum Field : std::uint32_t { kProcesses = 1 };
enum Process : std::uint32_t { kPid = 1, kOomScoreAdj = 10 };
}  // namespace process_stats

namespace sys_stats {
enum Field : std::uint32_t {
  kMeminfo = 1,
  kVmstat = 2,
  kCpuStat = 3,
  kForks = 4,
  kIrqTotal = 5,
  kIrq = 6,
  kSoftirqTotal = 7,
  kSoftirq = 8,
  kEndTimestamp = 9,
  kDevfreq = 10,
  kCpufreqKhz = 11,
  kBuddyInfo = 12,
  kDiskStat = 13,
  kPsi = 14,
  kThermalZone = 15,
  kCpuidleState = 16,
  kGpufreqMhz = 17,
};
}

}  // namespace runahead::importers::perfetto
