#include "instrumentation/link/program_link.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/programs_folder.h"

namespace runahead::link {
namespace {

constexpr timeval kMostWait{2, 0};

struct Message {
  std::string words;
  FileDescriptor file;  // sent beside the words; not valid: none
};

// Receives one packet. Error: nothing came in time, the other side is gone, the packet is too long.
Result<Message> receive(const FileDescriptor& socket) {
  Message message{std::string(kMostMessageBytes, '\0'), {}};
  iovec text{message.words.data(), message.words.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};
  header.msg_iov = &text;
  header.msg_iovlen = 1;
  header.msg_control = room;
  header.msg_controllen = sizeof room;
  const ssize_t got = ::recvmsg(socket.get(), &header, MSG_CMSG_CLOEXEC);
  if (got == 0) return Error{"has ended the connection"};
  if (got < 0 && errno == EAGAIN) return Error{"does not answer; it may be stopped"};
  if (got < 0) return Error{"cannot be read: " + system_error_text(errno)};
  const cmsghdr* const sent = CMSG_FIRSTHDR(&header);
  if (sent != nullptr && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(sent), sizeof fd);
    message.file = FileDescriptor(fd);
  }
  if ((header.msg_flags & MSG_TRUNC) != 0) return Error{"sends a message that is too long"};
  message.words.resize(static_cast<std::size_t>(got));
  return message;
}

Error about(pid_t pid, const std::string& why) {
  return Error{"program " + std::to_string(pid) + ": " + why};
}

std::optional<pid_t> process_number(const std::string& text) {
  const std::optional<std::int64_t> number = parse_positive(text);
  if (!number || *number > std::numeric_limits<pid_t>::max()) return std::nullopt;
  return static_cast<pid_t>(*number);
}

std::optional<Program> program_of(const std::string& hello) {
  const std::vector<std::string> fields = split_fields(hello, '\t');
  if (fields.size() < 4 || fields[0] != kHello) return std::nullopt;
  Program program;
  const std::optional<pid_t> pid = process_number(fields[1]);
  if (!pid) return std::nullopt;
  program.pid = *pid;
  program.recording = fields[2];
  program.command = fields[3];
  if (fields.size() >= 6) {
    program.clock_offset_ns = static_cast<std::int64_t>(parse_real(fields[4]).value_or(0));
    program.clock_error_ns = static_cast<std::int64_t>(parse_real(fields[5]).value_or(0));
  }
  return program;
}

// Connects to the socket of the process. The errno is 0 after success.
FileDescriptor connected(const FileDescriptor& folder, pid_t pid, int& error) {
  const std::string path = socket_path(folder, pid);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kMostWait, sizeof kMostWait);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kMostWait, sizeof kMostWait);
  const bool done = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  error = done ? 0 : errno;
  return socket;
}

Control control_of(const std::string& line) {
  std::vector<std::string> fields = split_fields(line, '\t');
  fields.resize(std::max<std::size_t>(fields.size(), 2));
  Control control{.name = fields[0], .value = fields[1], .choices = {}};
  const bool number = fields.size() == 5 && fields[2] == "number";
  if (number) {
    control.least = parse_real(fields[3]).value_or(0);
    control.most = parse_real(fields[4]).value_or(0);
  } else {
    control.choices.assign(fields.begin() + 2, fields.end());
  }
  return control;
}

}  // namespace

std::vector<Program> list_programs() {
  std::vector<Program> programs;
  const Result<FileDescriptor> folder = open_programs_folder();
  if (!folder) return programs;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(programs_folder(), none)) {
    const std::optional<pid_t> pid = process_number(entry.path().stem().string());
    if (!pid || entry.path().extension() != ".sock") continue;
    int error = 0;
    const FileDescriptor socket = connected(*folder, *pid, error);
    if (error == ECONNREFUSED) ::unlinkat(folder->get(), socket_name(*pid).c_str(), 0);
    if (error != 0 || !is_same_user(socket)) continue;
    const Result<Message> hello = receive(socket);
    if (!hello) continue;
    if (const std::optional<Program> program = program_of(hello->words)) programs.push_back(*program);
  }
  std::ranges::sort(programs, {}, &Program::pid);
  return programs;
}

Result<std::unique_ptr<ProgramLink>> ProgramLink::connect(pid_t pid) {
  const Result<FileDescriptor> folder = open_programs_folder();
  if (!folder) return folder.error();
  int error = 0;
  FileDescriptor socket = connected(*folder, pid, error);
  if (error != 0) return about(pid, "does not record; `runahead attach` lists the programs that do");
  if (!is_same_user(socket)) return about(pid, "belongs to another user");
  Result<Message> hello = receive(socket);
  if (!hello) return about(pid, hello.error().message);
  const std::optional<Program> program = program_of(hello->words);
  if (!program) return about(pid, "speaks another version of the link; use the same version of runahead");
  return std::unique_ptr<ProgramLink>(new ProgramLink(std::move(socket), *program, std::move(hello->file)));
}

std::unique_ptr<ProgramLink> ProgramLink::to_writer_of(const std::filesystem::path& recording) {
  for (const Program& program : list_programs()) {
    if (!is_same_file(program.recording, recording)) continue;
    if (Result<std::unique_ptr<ProgramLink>> link = connect(program.pid)) return std::move(*link);
  }
  return nullptr;
}

Result<std::unique_ptr<FileFollower>> ProgramLink::follow(const LinkLimits& limits) {
  if (!recording_.valid()) return about(program_.pid, "its recording cannot be opened");
  return FileFollower::open(std::move(recording_), program_.recording, limits);
}

Result<std::string> ProgramLink::ask(const std::string& words) {
  if (::send(socket_.get(), words.data(), words.size(), MSG_NOSIGNAL) < 0)
    return about(program_.pid, "has ended, or ended its recording");
  Result<Message> answer = receive(socket_);
  if (!answer) {
    socket_.reset();  // an answer that comes later would be taken for the answer of the next message
    return about(program_.pid, answer.error().message);
  }
  return std::move(answer->words);
}

Result<std::vector<Control>> ProgramLink::controls() {
  const Result<std::string> answer = ask("list");
  if (!answer) return answer.error();
  std::vector<Control> controls;
  for (const std::string& line : split_fields(*answer, '\n')) {
    if (!line.empty()) controls.push_back(control_of(line));
  }
  return controls;
}

Result<std::string> ProgramLink::broken_host() {
  const Result<std::string> answer = ask("link");
  if (!answer) return answer.error();
  const std::vector<std::string> fields = split_fields(*answer, '\t');
  return fields.size() == 2 && fields[0] == "broken" ? fields[1] : std::string();
}

Result<std::vector<RoundTrip>> ProgramLink::round_trips() {
  if (program_.clock_error_ns == 0) return std::vector<RoundTrip>{};
  const Result<std::string> answer = ask("clock");
  if (!answer) return answer.error();
  return trips_in(*answer);
}

Status ProgramLink::set(const std::string& name, const std::string& value) {
  if ((name + value).find('\t') != std::string::npos) return Error{"'" + name + "=" + value + "': has a tab"};
  const Result<std::string> answer = ask("set\t" + name + "\t" + value);
  if (!answer) return answer.error();
  if (*answer == "ok") return Ok{};
  const std::vector<std::string> fields = split_fields(*answer, '\t');
  return Error{fields.size() > 1 ? fields[1] : "the program gave no reason"};
}

}  // namespace runahead::link
