// What Perfetto's files call the kinds of things that stand in them by number: packets, ftrace events, the
// kernel's counters. For what is shown, and for what is counted as skipped.
#pragma once

#include <cstdint>
#include <string>

namespace runahead::importers::perfetto {

// Each is "packet_123" and the like where the number is a newer one.
[[nodiscard]] std::string packet_kind(std::uint32_t number);        // of a field of TracePacket
[[nodiscard]] std::string ftrace_event_kind(std::uint32_t number);  // of a field of FtraceEvent
[[nodiscard]] std::string meminfo_name(std::uint32_t number);       // "MemFree", as in /proc/meminfo
[[nodiscard]] std::string vmstat_name(std::uint32_t number);        // "pgfault", as in /proc/vmstat

// A packet about the capture, or about the machine as such, and not about what happened in the capture:
// nothing is lost with it.
[[nodiscard]] bool is_about_the_capture(std::uint32_t number);

}  // namespace runahead::importers::perfetto
