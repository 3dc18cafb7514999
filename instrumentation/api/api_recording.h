// Records this process into a file. A recording consists of a recorder, and of a collector that only writes
// to the file. A program starts a recording with the public API. If RUNAHEAD_RECORD is set in the
// environment, the library starts the recording as soon as the library is loaded. This recording is called
// the environment recording.
//
// A process has at most one recording at a time. Any thread may call these functions. After fork() the child
// has no recording: its hooks are off until it starts its own recording.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/record/files/file_limits.h"

struct runahead_recording;

namespace runahead::api {

// Starts a recording. If the environment recording is on, that recording already contains everything. In this
// case, start_recording() returns the environment recording and does not write the file `path`. It also
// leaves a note (record/files/record_request.h) for the program that set RUNAHEAD_RECORD.
[[nodiscard]] Result<runahead_recording*> start_recording(const std::string& path,
                                                          const record::FileLimits& limits = {});
// Ends the recording and frees it. Returns the first write error. Does nothing for a recording that has
// ended, or for the environment recording, which lasts as long as the process.
[[nodiscard]] Status stop_recording(runahead_recording* recording);
// True if the environment recording is on.
[[nodiscard]] bool records_environment() noexcept;
[[nodiscard]] std::uint64_t lost_events(const runahead_recording* recording) noexcept;

// The words of the process's command line, with blanks between them.
[[nodiscard]] std::string command_line();

// Starts the environment recording. Error: another recording is on, or the file cannot be written.
// process_name: the name of the process in a joined recording; empty: the program's name.
[[nodiscard]] Status start_own_recording(const std::string& path, const record::FileLimits& limits,
                                         const std::string& process_name = {});
// Adds facts about the process to the metadata of the environment recording. Does nothing if it is off.
void add_own_facts(const std::map<std::string, std::string>& facts);
// Also records the GPU's activity, through CUPTI (NVIDIA's profiling library), in the environment recording,
// until that recording ends. Returns which kinds of activity CUPTI refuses, and why (empty: none). nullopt:
// the environment recording is off, or already records CUPTI activity. Error: CUPTI cannot record.
[[nodiscard]] Result<std::optional<std::string>> start_own_cuda();
// Fetches the remaining records of CUPTI and stops recording CUPTI activity. Does nothing if CUPTI activity
// is not recorded.
void stop_own_cuda();
// Ends the environment recording. Returns Ok if no environment recording is on.
[[nodiscard]] Status stop_own_recording();
// True if this process is a forked child, the environment recording was on in its parent, and this process
// has not started an environment recording.
[[nodiscard]] bool forgotten_by_fork() noexcept;
// Starts the environment recording of a forked child, in a file of its own. Does nothing if
// forgotten_by_fork() is false. Error: the file cannot be written. Not in a handler of pthread_atfork().
[[nodiscard]] Status record_forked_child(const std::string& process_name);

}  // namespace runahead::api
