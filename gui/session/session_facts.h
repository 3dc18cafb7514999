// Facts of a capture as a whole, as they stand in a trace's metadata and a recording's header: where, when,
// what ran, and which program wrote it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "samples/runner.h"

namespace runahead::gui {

// "0.1.0": of this program.
[[nodiscard]] std::string_view program_version();

// Now, in UTC, as ISO 8601: "2026-03-01T09:30:00Z".
[[nodiscard]] std::string iso8601_now();

// "cpu" or "virtual:0, virtual:1": samples::names_of_devices(), as text.
[[nodiscard]] std::string device_names(const samples::RunConfig& config);

// host, started_at (now), workload, device, device.NAME (what each is), barrier (the one at the start),
// engine, size, setting.NAME, runahead.version.
[[nodiscard]] std::map<std::string, std::string> capture_facts(const samples::RunConfig& config);

// What a run measured, as facts of its recording: parameter.NAME, result.NAME, result_text.NAME and
// measured.NAME (the figures of a report that stand in fields of their own: wall_s, steps_per_s, peak_bytes,
// ...).
[[nodiscard]] std::map<std::string, std::string> report_facts(const samples::RunReport& report);

// The report that those facts tell, as far as they do; nullopt: they are not of a run that came to its end.
[[nodiscard]] std::optional<samples::RunReport> report_of(const std::map<std::string, std::string>& facts);

}  // namespace runahead::gui
