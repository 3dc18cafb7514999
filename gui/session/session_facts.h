// Facts (key and value) about a whole capture, stored in a trace's metadata and in a recording's header:
// host, start time, what ran, and which program wrote it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "samples/runner.h"

namespace runahead::gui {

// Returns the version of this program, such as "0.1.0".
[[nodiscard]] std::string_view program_version();
// Returns the version and the build of this program, in lines without a line break at the end: the first line
// is "runahead 0.1.0". The others name the git commit, the compiler, and the libraries that were found and
// not found when it was built. `commit`: empty if it is not known.
[[nodiscard]] std::string version_text(std::string_view commit);

// Returns the current time in UTC as ISO 8601: "2026-03-01T09:30:00Z".
[[nodiscard]] std::string iso8601_now();

// Returns "cpu" or "virtual:0, virtual:1": samples::names_of_devices() as text.
[[nodiscard]] std::string device_names(const samples::RunConfig& config);

// Returns the facts of a run that starts now: host, started_at, workload, device, device.NAME (the
// description of the device), barrier (at the start), engine, size, setting.NAME, runahead.version.
[[nodiscard]] std::map<std::string, std::string> capture_facts(const samples::RunConfig& config);

// Returns the results of a run as facts: parameter.NAME, result.NAME, result_text.NAME, and measured.NAME for
// the figures that have their own fields in the report (wall_s, steps_per_s, peak_bytes, ...).
[[nodiscard]] std::map<std::string, std::string> report_facts(const samples::RunReport& report);

// Returns the report that the facts describe. A field without a fact has its default. nullopt: the facts do
// not describe a finished run.
[[nodiscard]] std::optional<samples::RunReport> report_of(const std::map<std::string, std::string>& facts);

}  // namespace runahead::gui
