#include "gui/background/page_opener.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/spawn.h"

namespace runahead::gui {

bool can_show_pages() {
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (folder.empty()) continue;
    if (::access((std::filesystem::path(folder) / "xdg-open").c_str(), X_OK) == 0) return true;
  }
  return false;
}

Status show_page(const std::filesystem::path& page) {
  // xdg-open may run as long as the browser. The shell ends at once, so no process has to be waited for
  // later.
  pid_t process = 0;
  const int failed =
      spawn({"sh", "-c", "xdg-open \"$0\" </dev/null >/dev/null 2>&1 &", page.string()}, {}, process);
  if (failed != 0) return file_error("page", page, system_error_text(failed));
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return Ok{};
}

}  // namespace runahead::gui
