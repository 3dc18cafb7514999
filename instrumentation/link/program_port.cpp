#include "instrumentation/link/program_port.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "instrumentation/base/format.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/programs_folder.h"
#include "instrumentation/record/controls.h"

namespace runahead::link {
namespace {

constexpr std::size_t kMostWatchers = 16;
constexpr int kPauseMs = 100;

std::string controls_text() {
  std::string text;
  for (const record::Control* control : record::list_controls()) {
    text += control->name + "\t" + record::value_text(*control);
    if (control->choices.empty())
      text += "\tnumber\t" + format_exact(control->least) + "\t" + format_exact(control->most);
    for (const std::string& choice : control->choices) text += "\t" + choice;
    text += "\n";
  }
  return text.substr(0, kMostMessageBytes);
}

// Sends one packet without waiting. False: the watcher is gone, or does not read.
bool send_text(const FileDescriptor& watcher, std::string_view text) {
  return ::send(watcher.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

}  // namespace

Result<std::unique_ptr<ProgramPort>> ProgramPort::open(Program program, std::function<void(bool)> watched,
                                                       Answer answer) {
  std::unique_ptr<ProgramPort> port(
      new ProgramPort(std::move(program), std::move(watched), std::move(answer)));
  if (const Status listening = port->listen(); !listening) return listening.error();
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  port->thread_ = std::thread([at = port.get()] { at->serve(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return port;
}

ProgramPort::~ProgramPort() {
  if (thread_.joinable()) {
    static_cast<void>(::eventfd_write(stop_.get(), 1));
    thread_.join();
  }
  if (listener_.valid()) ::unlinkat(folder_.get(), socket_name(program_.pid).c_str(), 0);
}

void ProgramPort::close_in_child() noexcept { ::close(listener_.get()); }

Status ProgramPort::listen() {
  Result<FileDescriptor> folder = open_programs_folder();
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  const std::string path = socket_path(folder_, program_.pid);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlinkat(folder_.get(), socket_name(program_.pid).c_str(), 0);  // of an ended process with this number
  FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  stop_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  if (!listener.valid() || !stop_.valid() ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(listener.get(), 8) != 0) {
    return Error{"socket '" + (programs_folder() / socket_name(program_.pid)).string() +
                 "': cannot be made: " + system_error_text(errno)};
  }
  listener_ = std::move(listener);
  return Ok{};
}

void ProgramPort::serve() {
  bool accepts = true;
  while (true) {
    // poll() leaves out an entry whose descriptor is below 0.
    std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}, {accepts ? listener_.get() : -1, POLLIN, 0}};
    for (const FileDescriptor& watcher : watchers_) waiting.push_back({watcher.get(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), accepts ? -1 : kPauseMs) < 0 && errno != EINTR) return;
    if (waiting[0].revents != 0) return;
    const bool watched_before = !watchers_.empty();
    for (std::size_t i = watchers_.size(); i-- > 0;) {
      if (waiting[i + 2].revents != 0 && !answer(watchers_[i]))
        watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    accepts = waiting[1].revents == 0 || accept_one();
    if (watched_ && watched_before != !watchers_.empty()) watched_(!watched_before);
  }
}

// False: no descriptor is free. The next try is after a pause, so that the thread does not spin.
bool ProgramPort::accept_one() {
  FileDescriptor watcher(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!watcher.valid()) return errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
  if (watchers_.size() >= kMostWatchers || !is_same_user(watcher)) return true;
  if (greet(watcher)) watchers_.push_back(std::move(watcher));
  return true;
}

// Sends the file open for reading: so a watcher reads it also if its name was removed.
bool ProgramPort::greet(const FileDescriptor& watcher) const {
  std::string words = std::string(kHello) + "\t" + std::to_string(program_.pid) + "\t" +
                      program_.recording.string() + "\t" + program_.command + "\t" +
                      std::to_string(program_.clock_offset_ns) + "\t" +
                      std::to_string(program_.clock_error_ns);
  words.resize(std::min(words.size(), kMostMessageBytes));
  const FileDescriptor file(::open(program_.recording.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  iovec text{words.data(), words.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (file.valid()) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = file.get();
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(watcher.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

// Takes one message. False: the connection ends.
bool ProgramPort::answer(const FileDescriptor& watcher) const {
  std::string words(kMostMessageBytes, '\0');
  const ssize_t got = ::recv(watcher.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0 || static_cast<std::size_t>(got) > words.size()) return false;
  words.resize(static_cast<std::size_t>(got));
  const std::optional<std::string> said = answer_(words);
  return said && send_text(watcher, *said);
}

std::optional<std::string> ProgramPort::answer_with_own_controls(const std::string& words) {
  const std::vector<std::string> fields = split_fields(words, '\t');
  if (words == "list") return controls_text() + "\n";
  if (words == "link") return "here";
  if (fields.size() != 3 || fields[0] != "set") return std::nullopt;
  const Status set = record::set_control(fields[1], fields[2]);
  return set ? std::string("ok") : "error\t" + set.error().message;
}

}  // namespace runahead::link
