// Serves traces as pages over HTTP, on the loopback interface only: 127.0.0.1, and ::1 if it exists. For the
// user's own browser on this machine, or on another one through `ssh -L`. The address has a random token of
// 128 bits; without it nothing is answered (request.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

// True if this build can serve: it has the HTTP library and the viewer.
[[nodiscard]] Status can_serve();

// Serves from its construction to its destruction, on threads of its own. At most 32 connections at a time, a
// request's head has at most 16 KiB, and a connection without traffic is closed after 30 seconds.
class TraceServer {
 public:
  // `port` 0: any free one. Errors: can_serve(), a path that cannot be opened, a port that is taken.
  [[nodiscard]] static Result<std::unique_ptr<TraceServer>> start(
      const std::vector<std::filesystem::path>& paths, int port);
  ~TraceServer();
  TraceServer(const TraceServer&) = delete;
  TraceServer& operator=(const TraceServer&) = delete;

  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:PORT/TOKEN/"
  [[nodiscard]] int port() const;
  [[nodiscard]] std::size_t file_count() const;

 private:
  struct State;
  explicit TraceServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace runahead::gui
