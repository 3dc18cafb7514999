// Names of the things that Perfetto files identify by number: packets, ftrace events, kernel counters. Used
// for display and for the counts of skipped packets.
#pragma once

#include <cstdint>
#include <string>

namespace runahead::importers::perfetto {

// A number that is not in the table gives a name like "packet_123".
[[nodiscard]] std::string packet_kind(std::uint32_t number);        // number: a field of TracePacket
[[nodiscard]] std::string ftrace_event_kind(std::uint32_t number);  // number: a field of FtraceEvent
[[nodiscard]] std::string meminfo_name(std::uint32_t number);       // "MemFree", as in /proc/meminfo
[[nodiscard]] std::string vmstat_name(std::uint32_t number);        // "pgfault", as in /proc/vmstat

// True if a packet describes the capture or the machine, not an event in the capture. Skipping such a packet
// loses nothing.
[[nodiscard]] bool is_about_the_capture(std::uint32_t number);

}  // namespace runahead::importers::perfetto
