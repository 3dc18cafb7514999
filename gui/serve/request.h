// Decides about one HTTP request to `runahead serve`: is it allowed, and what does it ask for? Pure.
//
// A page in the user's browser can send requests to any port of this machine, and another user of the machine
// can connect to it. So each request must prove three things: it knows the token (the address has it), it
// calls this machine by a loopback name (a foreign name that leads here is refused: DNS rebinding), and no
// foreign page made it (Origin). The address never names a file: files have numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gui/text/language.h"

namespace runahead::gui {

struct HttpField {
  std::string_view name, value;
};

struct HttpRequest {
  std::string_view method;  // "GET"
  std::string_view target;  // as in the request line: not decoded, with its query
  std::span<const HttpField> fields;
};

enum class Asked : std::uint8_t {
  kNothing,    // refused
  kList,       // /TOKEN/
  kPage,       // /TOKEN/7/
  kState,      // /TOKEN/7/state
  kRecording,  // /TOKEN/7/recording
  kGrowth,     // /TOKEN/7/growth/STREAM/FROM
};

struct Decision {
  Asked asked = Asked::kNothing;
  int status = 403;      // HTTP status; 200: allowed
  std::size_t file = 0;  // the number of the file; not checked against the files that exist
  bool head = false;     // the answer has no body
  // kGrowth: the stream that the browser has the first `from` bytes of (block_stream.h); not checked.
  std::uint64_t stream = 0, from = 0;
  Language language{};  // kList: the one that the browser prefers
};

// Requests with more are refused. The server refuses larger heads before it has read them.
inline constexpr std::size_t kMostTargetBytes = 1024, kMostFields = 64, kMostFieldBytes = 8192;

// REQUIRES: `token` is not empty. The comparison with it takes the same time for all wrong tokens of its
// length. A wrong token is refused before anything else about the path is looked at.
[[nodiscard]] Decision decide(const HttpRequest& request, std::string_view token);

// The language that a value of the field Accept-Language prefers, of those that the window has: "de,
// ja;q=0.8, en;q=0.5" is Japanese. English if it names none.
[[nodiscard]] Language preferred_language(std::string_view accepted);

// True if a value of the field Host names this machine's loopback interface: 127.0.0.1, localhost or [::1],
// with or without a port. The port is not compared, because `ssh -L` may have another one.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace runahead::gui
