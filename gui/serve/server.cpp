#include "gui/serve/server.h"

#include <atomic>

#include "gui/serve/answers.h"
#include "gui/serve/request.h"
#include "gui/serve/shelf.h"
#include "gui/web/page.h"

#ifdef RUNAHEAD_HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#endif

namespace runahead::gui {

#ifdef RUNAHEAD_HAVE_MICROHTTPD
namespace {

constexpr unsigned kMostConnections = 32, kThreads = 4, kSilentSeconds = 30;
constexpr std::size_t kHeadBytes = 16u << 10;

struct StopDaemon {
  void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
};
using Daemon = std::unique_ptr<MHD_Daemon, StopDaemon>;

Result<std::string> random_token() {
  std::array<unsigned char, 16> bytes{};  // 128 bits
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{"no random numbers for the address: " + system_error_text(errno)};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

struct DestroyResponse {
  void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
using Answer = std::unique_ptr<MHD_Response, DestroyResponse>;

Answer answer_of(std::string_view text, const char* type, Policy policy) {
  Answer answer(
      MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY));
  if (!answer) return answer;
  MHD_add_response_header(answer.get(), "Content-Type", type);
  MHD_add_response_header(answer.get(), "Content-Security-Policy",
                          std::string(content_policy(policy)).c_str());
  return answer;
}

Answer answer_of(OpenFile file, const char* type, Policy policy, std::uint64_t from = 0) {
  Answer answer(MHD_create_response_from_fd_at_offset64(file.size - from, file.fd.get(), from));
  if (!answer) return answer;
  (void)file.fd.release();  // the answer closes it
  MHD_add_response_header(answer.get(), "Content-Type", type);
  MHD_add_response_header(answer.get(), "Content-Security-Policy",
                          std::string(content_policy(policy)).c_str());
  return answer;
}

constexpr const char kHtml[] = "text/html; charset=utf-8";

}  // namespace

struct TraceServer::State {
  std::string token;
  int port = 0;
  std::atomic<bool> stopping{false};  // written by the destructor, read while pages are made
  std::unique_ptr<Shelf> shelf;
  Daemon ipv4, ipv6;  // stopped before the shelf goes

  // A file of the shelf, or why there is none. `status` is the HTTP status of the answer.
  Answer of_file(std::size_t number, Result<OpenFile> file, const char* type, int& status) {
    if (file) return answer_of(std::move(*file), type, Policy::kPage);
    const std::optional<FileState> known = shelf->state(number);
    status = known ? 503 : 404;
    return answer_of(error_page(file.error().message, known && known->live), kHtml, Policy::kNothing);
  }

  // The bytes that the browser lacks, with the stream that they are of, and the first of them.
  Answer growth(const Decision& decision, int& status) {
    Result<Growth> grown = shelf->growth(decision.file, decision.stream, decision.from);
    if (!grown) {
      status = shelf->state(decision.file) ? 503 : 404;
      return answer_of(error_page(grown.error().message, false), kHtml, Policy::kNothing);
    }
    const std::uint64_t from = grown->from, stream = grown->stream;
    Answer answer = answer_of(std::move(grown->file), "application/octet-stream", Policy::kPage, from);
    if (!answer) return answer;
    MHD_add_response_header(answer.get(), "X-Runahead-Stream", std::to_string(stream).c_str());
    MHD_add_response_header(answer.get(), "X-Runahead-From", std::to_string(from).c_str());
    return answer;
  }

  Answer answer(const Decision& decision, int& status) {
    switch (decision.asked) {
      case Asked::kList:
        return answer_of(list_page(shelf->list(), decision.language), kHtml, Policy::kNothing);
      case Asked::kPage:
        return of_file(decision.file, shelf->page(decision.file), kHtml, status);
      case Asked::kRecording:
        return of_file(decision.file, shelf->recording(decision.file), "application/octet-stream", status);
      case Asked::kGrowth:
        return growth(decision, status);
      case Asked::kState:
        if (const auto known = shelf->state(decision.file))
          return answer_of(state_json(*known), "application/json", Policy::kNothing);
        status = 404;
        break;
      case Asked::kNothing:
        break;
    }
    return answer_of("", "text/plain", Policy::kNothing);
  }

  MHD_Result respond(MHD_Connection* connection, const Decision& decision) {
    int status = decision.status;
    const Answer response = answer(decision, status);
    if (!response) return MHD_NO;
    MHD_add_response_header(response.get(), "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response.get(), "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response.get(), "Cache-Control", "no-store");
    MHD_add_response_header(response.get(), "Cross-Origin-Resource-Policy", "same-origin");
    if (status == 405) MHD_add_response_header(response.get(), "Allow", "GET, HEAD");
    return MHD_queue_response(connection, static_cast<unsigned>(status), response.get());
  }

  // One request. `target` is as in the request line; the url that MHD passes is decoded.
  struct Pending {
    std::string target;
    std::optional<Decision> allowed;
  };
  static void* begin(void*, const char* target, MHD_Connection*) { return new Pending{target, std::nullopt}; }
  static void end(void*, MHD_Connection*, void** pending, MHD_RequestTerminationCode) {
    delete static_cast<Pending*>(*pending);
    *pending = nullptr;
  }
  static MHD_Result note_field(void* fields, MHD_ValueKind, const char* name, const char* value) {
    static_cast<std::vector<HttpField>*>(fields)->push_back({name, value == nullptr ? "" : value});
    return MHD_YES;
  }
  // Called when the head of a request was read, and again at the end of the request. An answer to the first
  // call closes the connection, so that nothing more of a refused request is read.
  static MHD_Result asked(void* self, MHD_Connection* connection, const char*, const char* method,
                          const char*, const char*, std::size_t* body_bytes, void** pending_of) {
    auto* const pending = static_cast<Pending*>(*pending_of);
    auto* const state = static_cast<State*>(self);
    if (pending == nullptr || *body_bytes != 0) return MHD_NO;
    if (pending->allowed) return state->respond(connection, *pending->allowed);
    std::vector<HttpField> fields;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, note_field, &fields);
    const Decision decision = decide({method, pending->target, fields}, state->token);
    if (decision.status != 200) return state->respond(connection, decision);
    pending->allowed = decision;
    return MHD_YES;
  }

  Daemon listen(const sockaddr* address, unsigned flags) {
    return Daemon(MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | flags, 0, nullptr, nullptr, &State::asked, this,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_URI_LOG_CALLBACK, &State::begin, nullptr,
        MHD_OPTION_NOTIFY_COMPLETED, &State::end, nullptr, MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
        MHD_OPTION_CONNECTION_TIMEOUT, kSilentSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kHeadBytes,
        MHD_OPTION_THREAD_POOL_SIZE, kThreads, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END));
  }

  bool listen_on(int wanted) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    v4.sin_port = htons(static_cast<std::uint16_t>(wanted));
    errno = 0;
    ipv4 = listen(reinterpret_cast<const sockaddr*>(&v4), 0);
    if (!ipv4) return false;
    const MHD_DaemonInfo* const bound = MHD_get_daemon_info(ipv4.get(), MHD_DAEMON_INFO_BIND_PORT);
    port = bound == nullptr ? wanted : bound->port;
    // A machine may have no IPv6, and another program may have this port of it: then 127.0.0.1 is enough.
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    ipv6 = listen(reinterpret_cast<const sockaddr*>(&v6), MHD_USE_IPv6);
    return true;
  }
};

Status can_serve() {
  if (pages_supported()) return Ok{};
  return Error{"serve: this build has no viewer for pages (docs/pages.md says what it needs)"};
}

Result<std::unique_ptr<TraceServer>> TraceServer::start(const std::vector<std::filesystem::path>& paths,
                                                        int port) {
  if (const Status can = can_serve(); !can) return can.error();
  auto state = std::make_unique<State>();
  Result<std::string> token = random_token();
  if (!token) return token.error();
  state->token = std::move(*token);
  auto shelf = Shelf::open(paths, [&stopping = state->stopping](double) { return !stopping; });
  if (!shelf) return shelf.error();
  state->shelf = std::move(*shelf);
  if (!state->listen_on(port)) {
    return Error{"serve: cannot listen on 127.0.0.1 port " + std::to_string(port) + ": " +
                 (errno == 0 ? "the system refused it" : system_error_text(errno)) +
                 "; leave --port out to use a free one"};
  }
  return std::unique_ptr<TraceServer>(new TraceServer(std::move(state)));
}

#else

struct TraceServer::State {
  std::string token;
  int port = 0;
  std::atomic<bool> stopping{false};
  std::unique_ptr<Shelf> shelf;
};

Status can_serve() {
  return Error{"serve: this build has no HTTP library: build it with libmicrohttpd-dev installed"};
}

Result<std::unique_ptr<TraceServer>> TraceServer::start(const std::vector<std::filesystem::path>&, int) {
  return can_serve().error();
}

#endif

TraceServer::TraceServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceServer::~TraceServer() { state_->stopping = true; }

std::string TraceServer::address() const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + "/" + state_->token + "/";
}
int TraceServer::port() const { return state_->port; }
std::size_t TraceServer::file_count() const { return state_->shelf->list().entries.size(); }

}  // namespace runahead::gui
