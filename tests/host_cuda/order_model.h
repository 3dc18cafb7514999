// OrderModel: which work on streams is known to come after which other work, and the memory that the work
// uses. The model finds work that would be a race on a card although it gives correct values here: two
// streams that use the same bytes without an event between them, memory that is freed or unpinned while a
// stream still uses it, memory that is used after it was freed.
//
// Each stream counts its work. A Clock says up to which work of each stream everything has ended. All threads
// of the host count as one: what one thread has learned from an event, the others know. Races between threads
// of the host are left to the thread sanitizer.
//
// Every function that returns a text returns what is wrong; empty: nothing. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace runahead::host_cuda {

// Memory that work uses.
struct Touch {
  const void* memory = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

class OrderModel {
 public:
  using StreamNumber = std::uint32_t;
  using Clock = std::map<StreamNumber, std::uint64_t>;

  // Puts work on a stream.
  std::string put(StreamNumber stream, const char* what, const std::vector<Touch>& touches);
  // The work of the stream so far, with all that it comes after: what an event says.
  [[nodiscard]] Clock now(StreamNumber stream);
  void stream_waits(StreamNumber stream, const Clock& clock);
  void host_learns(const Clock& clock);
  void stream_ends(StreamNumber stream);  // REQUIRES: all of its work has ended

  // Work that may use some of these bytes after the moment that `after` describes. Null: after what the host
  // knows.
  std::string still_used(const void* memory, std::size_t bytes, const Clock* after = nullptr);

 private:
  struct Use {
    std::uintptr_t begin = 0, end = 0;
    bool writes = false;
    StreamNumber stream = 0;
    std::uint64_t number = 0;  // of the work on its stream
    const char* what = "";
  };
  struct Stream {
    std::uint64_t count = 0;
    Clock after;  // what its next work comes after
  };
  static void join(Clock& clock, const Clock& other);
  static bool knows(const Clock& clock, const Use& use);
  void forget_known();

  std::map<StreamNumber, Stream> streams_;
  Clock host_;
  std::vector<Use> uses_;  // that the host does not know to have ended
};

}  // namespace runahead::host_cuda
