// A small server without a network: a frontend thread passes requests to a worker, which answers the
// requests. The program uses each part of the API once: zones; a flow from each request to its answer; an
// asynchronous slice for each request, from the request to its answer; a counter of the queue length; frames;
// an instant; the ends of two messages between processes; names of threads.
//
//   example FILE.runahead REQUESTS
#include <runahead/runahead.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace {

struct Request {
  std::uint64_t id;
  runahead::AsyncSlice life;
};

class Server {
 public:
  Server() : worker_([this] { work(); }) {}
  ~Server() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    worker_.join();
  }

  void ask(std::uint64_t id) {
    RUNAHEAD_ZONE("ask");
    RUNAHEAD_FLOW_OUT("request", id);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back({id, runahead::AsyncSlice(requests_, RUNAHEAD_SITE("request"))});
      waiting_.set(static_cast<double>(queue_.size()));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    runahead::name_thread("worker");
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Request request = std::move(queue_.front());
      queue_.pop_front();
      waiting_.set(static_cast<double>(queue_.size()));
      lock.unlock();
      answer(request);
      lock.lock();
    }
  }
  static void answer(Request& request) {
    RUNAHEAD_ZONE("answer");
    RUNAHEAD_FLOW_IN(request.id);
    {
      RUNAHEAD_ZONE("compute");
      volatile double sum = 0;
      for (int i = 0; i < 1000; ++i) sum = sum + i;
    }
    request.life.end();
  }

  const runahead::Track requests_{"Server", "requests"};
  const runahead::Counter waiting_{"waiting", runahead::Unit::kCount, "Server"};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> queue_;
  bool stopping_ = false;
  std::thread worker_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: example FILE.runahead REQUESTS\n");
    return 2;
  }
  runahead::name_thread("frontend");
  runahead::Recording recording(std::string{argv[1]});
  if (recording.ok()) {
    Server server;
    RUNAHEAD_INSTANT("first request");
    RUNAHEAD_MESSAGE_OUT("hello", 1);  // to another process, which would know the id 1
    RUNAHEAD_MESSAGE_IN(2);            // from another process
    const long requests = std::strtol(argv[2], nullptr, 10);
    for (long i = 0; i < requests; ++i) {
      server.ask(static_cast<std::uint64_t>(i));
      RUNAHEAD_FRAME("loop");
    }
  }
  recording.stop();
  if (!recording.ok()) {
    std::fprintf(stderr, "example: %s\n", recording.error().c_str());
    return 1;
  }
  std::printf("lost %llu\n", static_cast<unsigned long long>(recording.lost()));
  return 0;
}
