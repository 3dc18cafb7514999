// Binder, by which Android's processes call each other: a call is a slice of the calling thread until the
// reply is back, and one of the answering thread until it replies, with an arrow between them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_decoded.h"

namespace runahead::importers::perfetto {
using namespace trace;

class BinderBook {
 public:
  struct Sent {
    ClockTime time;
    NodeId thread{};
    std::int32_t id = 0;  // that of what is received
    bool reply = false, one_way = false;
    std::uint32_t code = 0;
    std::int32_t to_process = 0;
  };
  struct Received {
    ClockTime time;
    NodeId thread{};
    std::int32_t id = 0;
  };

  void add(const Sent& sent) { sent_.push_back(sent); }
  void add(const Received& received) { received_.push_back(received); }

  // Makes the events, and takes all that was added. Returns how many were received and never seen sent:
  // nobody knows what they are.
  std::uint64_t make_events(Decoded& out);

 private:
  std::vector<Sent> sent_;
  std::vector<Received> received_;
};

}  // namespace runahead::importers::perfetto
