// Binder: calls between Android processes. A call gives two slices: one on the calling thread until the reply
// arrives, and one on the answering thread until it replies. An arrow joins the two slices.
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
    std::int32_t id = 0;  // the same id as in the Received event
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

  // Adds the slices, instants and arrows of all collected calls to `out`, and removes the calls. Returns the
  // number of Received events without a Sent event. Such Received events are dropped, because only the Sent
  // event says whether a call or a reply was received.
  std::uint64_t make_events(Decoded& out);

 private:
  std::vector<Sent> sent_;
  std::vector<Received> received_;
};

}  // namespace runahead::importers::perfetto
