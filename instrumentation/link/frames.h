// Frames: the messages between a watcher and the agent on another machine. They travel over a stream of
// bytes, such as the standard input and output of an ssh client.
//
// Layout: the agent first sends the line kAgentLine. After it, and in the other direction from the start,
// there are only frames: u32 length of the payload, u8 kind, payload. All numbers are little-endian. The
// payload of kData, kHole, kOutput and kErrors begins with a u64: the offset in the recording, or in the
// program's output. All other payloads are text with tabs between the fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::link {

inline constexpr std::string_view kAgentLine = "runahead agent 1\n";
// The largest payload. A longer one is an error, so a peer cannot fill the memory.
inline constexpr std::size_t kMostFrameBytes = std::size_t{256} << 10;

enum class FrameKind : std::uint8_t {
  // from the agent
  kHello = 1,    // process number, recording, its identity, command, folder of the spool, host
  kData = 2,     // offset, bytes of the recording
  kHole = 3,     // offset, u64 number of bytes that the spool has dropped
  kOutput = 4,   // offset, what the program printed on stdout
  kErrors = 5,   // offset, what the program printed on stderr
  kEnded = 6,    // exit code, signal: the program has ended, and everything was sent
  kAnswer = 7,   // the program's answer to kAsk
  kTime = 8,     // the number of a kAskTime, the agent's CLOCK_MONOTONIC in ns, its TSC (ClockReading)
  kError = 9,    // a sentence: why the agent ends
  kJoined = 10,  // another process records too: from now on kData is the joined recording, from its beginning
  kCaughtUp = 11,  // once after kJoined: the joined recording was sent as far as it had grown
  // from the watcher
  kAsk = 17,      // a message for the program's port ("list", "set")
  kAskTime = 18,  // a number
  kDone = 19      // the watcher has stored everything, and has read kEnded
};

struct Frame {
  FrameKind kind{};
  std::string payload;
};

[[nodiscard]] std::string frame_bytes(FrameKind kind, std::string_view payload);
// A frame whose payload begins with an offset.
[[nodiscard]] std::string frame_bytes(FrameKind kind, std::uint64_t offset, std::string_view bytes);
// A number as 8 bytes; nullopt: fewer than 8 bytes.
[[nodiscard]] std::string number_bytes(std::uint64_t number);
[[nodiscard]] std::optional<std::uint64_t> first_number(std::string_view payload);

[[nodiscard]] std::vector<std::string> split_fields(std::string_view text, char between);

// Only one thread may use it at a time.
class FrameReader {
 public:
  // Bytes before kAgentLine are dropped: a login may print something. `from_agent`: expects the line.
  explicit FrameReader(bool from_agent) : waits_for_line_(from_agent) {}

  // Error: a payload that is too long, an unknown kind, or no line after kMostFrameBytes bytes. After an
  // error every call returns this error.
  Status add(std::string_view bytes);
  [[nodiscard]] std::optional<Frame> next();  // nullopt: no whole frame yet

 private:
  Status skip_to_line();
  Status check_first();

  std::string bytes_;
  std::size_t used_ = 0;  // bytes of bytes_ that next() has returned
  bool waits_for_line_;
  std::optional<Error> error_;
};

}  // namespace runahead::link
