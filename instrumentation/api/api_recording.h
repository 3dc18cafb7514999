// The recording of the process that a program makes by the public API, or that its environment asks for: a
// recorder, and a collector that writes to a file alone.
//
// One of them at a time. Any thread. A process made by fork() has none of them: its hooks are off until it
// starts a recording of its own.
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

// While the environment's recording is on, everything is in that already: it is given back then, and the file
// is not written, of which whoever asked is told.
[[nodiscard]] Result<runahead_recording*> start_recording(const std::string& path,
                                                          const record::FileLimits& limits = {});
// Ends it and frees it; the error of the first write that failed. Nothing happens to one that has ended, nor
// to the environment's, which lasts as long as the process.
[[nodiscard]] Status stop_recording(runahead_recording* recording);
[[nodiscard]] std::uint64_t lost_events(const runahead_recording* recording) noexcept;

// The environment's. An error where another is on, or the file cannot be written.
[[nodiscard]] Status start_own_recording(const std::string& path, const record::FileLimits& limits,
                                         Metadata metadata);
// CUPTI's activity goes into the environment's recording, to its end. Gives what CUPTI refuses of it, and
// why; nullopt: that recording is not on, or has the activity already. An error where CUPTI does not record.
[[nodiscard]] Result<std::optional<std::string>> start_own_cuda();
// Fetches what CUPTI has, and ends that part of it. Nothing happens where it is not on.
void stop_own_cuda();
// Ok too where it is not on.
[[nodiscard]] Status stop_own_recording();
// This process was forked by one that the environment's recording was on in.
[[nodiscard]] bool forgotten_by_fork() noexcept;

}  // namespace runahead::api
