#include "instrumentation/link/programs_folder.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "instrumentation/link/program_link.h"

namespace runahead::link {

std::filesystem::path programs_folder() {
  const char* const runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "runahead";
  return "/tmp/runahead-" + std::to_string(::geteuid());
}

Result<FileDescriptor> open_programs_folder() {
  const std::filesystem::path path = programs_folder();
  const auto refused = [&](const std::string& why) {
    return Error{"folder '" + path.string() + "': " + why};
  };
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return refused("cannot be made: " + system_error_text(errno) +
                   "; set XDG_RUNTIME_DIR to a folder of yours");
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return refused("cannot be opened: " + system_error_text(errno));
  struct stat facts {};
  if (::fstat(folder.get(), &facts) != 0) return refused(system_error_text(errno));
  if (facts.st_uid != ::geteuid())
    return refused("belongs to another user; set XDG_RUNTIME_DIR to a folder of yours");
  if ((facts.st_mode & 077) != 0)
    return refused("is open to other users; allow it only to you with chmod 700");
  return folder;
}

std::string socket_name(pid_t pid) { return std::to_string(pid) + ".sock"; }

std::string socket_path(const FileDescriptor& folder, pid_t pid) {
  return "/proc/self/fd/" + std::to_string(folder.get()) + "/" + socket_name(pid);
}

bool is_same_user(const FileDescriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace runahead::link
