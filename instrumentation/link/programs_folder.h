// The folder of the sockets with which programs that record can be found. Internal to instrumentation/link.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::link {

// The largest message of the link, in bytes. A longer message ends the connection.
inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 10;
inline constexpr std::string_view kHello = "runahead 1";

// Opens the folder, and makes it if it does not exist. Error: it belongs to another user, or others can open
// it, or it cannot be made.
[[nodiscard]] Result<FileDescriptor> open_programs_folder();
[[nodiscard]] std::string socket_name(pid_t pid);
// A path to the socket that fits into a socket address, whatever the length of the folder's path.
[[nodiscard]] std::string socket_path(const FileDescriptor& folder, pid_t pid);
// True if the process at the other end runs as this user.
[[nodiscard]] bool is_same_user(const FileDescriptor& socket);

}  // namespace runahead::link
