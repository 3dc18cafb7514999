// The recording of the process: a recorder, and a collector that only writes to a file. A program starts it
// by the public API, or the environment asks for it.
//
// One recording at a time. Any thread. After fork() the child has no recording: its hooks are off until it
// starts its own recording.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/record/files/file_limits.h"

struct runahead_recording;

namespace runahead::api {

using Metadata = std::map<std::string, std::string>;

// While the environment's recording is on, it already contains everything. Then start_recording() returns
// that recording and does not write `path`. It leaves a note for the program that asked for the environment's
// recording.
[[nodiscard]] Result<runahead_recording*> start_recording(const std::string& path,
                                                          const record::FileLimits& limits = {});
// Ends the recording and frees it. Returns the first write error. Does nothing for a recording that has
// ended, or for the environment's recording, which lasts as long as the process.
[[nodiscard]] Status stop_recording(runahead_recording* recording);
[[nodiscard]] std::uint64_t lost_events(const runahead_recording* recording) noexcept;

// Starts the environment's recording. Error: another recording is on, or the file cannot be written.
[[nodiscard]] Status start_own_recording(const std::string& path, const record::FileLimits& limits,
                                         Metadata metadata);
// Adds CUPTI's activity to the environment's recording, until its end. Returns which activity CUPTI refuses,
// and why. nullopt: the environment's recording is not on, or already has CUPTI's activity. Error: CUPTI
// cannot record.
[[nodiscard]] Result<std::optional<std::string>> start_own_cuda();
// Fetches the remaining records of CUPTI and ends the recording of its activity. Does nothing if it is off.
void stop_own_cuda();
// Ends the environment's recording. Also Ok if it is off.
[[nodiscard]] Status stop_own_recording();
// True if this process was forked by a process in which the environment's recording was on.
[[nodiscard]] bool forgotten_by_fork() noexcept;

}  // namespace runahead::api
