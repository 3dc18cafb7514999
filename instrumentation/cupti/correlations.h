// Correlations: brings the two sides of a correlation id together, the call and the work that it launched,
// whichever comes first, and the op that both belong to. Bounded; what never meets is counted.
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

struct CallEnd {
  record::RowPlace place;
  std::int64_t begin_ns = 0, end_ns = 0;
};
struct WorkEnd {
  const record::TrackDesc* track = nullptr;
  std::int64_t begin_ns = 0;
};

class Correlations {
 public:
  Correlations(record::SourceRows& rows, std::size_t most) : rows_(rows), most_(most) {}

  // A call that launches work. Of several with one id (the runtime's, and the driver's within it) the
  // outermost holds.
  void call(std::uint32_t id, const CallEnd& call);
  // A call that launches nothing, but that a synchronisation may belong to.
  void waiting_call(std::uint32_t id, const CallEnd& call);
  void work(std::uint32_t id, const WorkEnd& work);
  // Its work is known to have run, and has no place in time.
  void work_without_times(std::uint32_t id) { entry(id).any_work = true; }
  void op(std::uint32_t id, OpId op);

  [[nodiscard]] OpId op_of(std::uint32_t id) const;
  [[nodiscard]] std::optional<CallEnd> call_of(std::uint32_t id) const;
  // Any op was ever told: work whose call is not known yet may belong to one.
  [[nodiscard]] bool ops_in_use() const { return ops_in_use_; }
  // How much earlier than its call a piece of work seemed to begin, at most: an error of the clocks.
  [[nodiscard]] std::int64_t largest_disorder_ns() const { return largest_disorder_ns_; }
  // Nothing more comes: what waits is counted.
  void close();

 private:
  struct Entry {
    std::optional<CallEnd> call;
    bool launches = false, any_work = false;
    // Tracks that have their arrow: mostly one, the others are of a graph.
    const record::TrackDesc* arrived = nullptr;
    std::vector<const record::TrackDesc*> others_arrived;
    std::vector<WorkEnd> waiting;  // for the call: the first of each track
    OpId op = kNoOp;
  };
  [[nodiscard]] Entry& entry(std::uint32_t id);
  void join(Entry& entry, const WorkEnd& work);
  [[nodiscard]] static bool arrives_first(Entry& entry, const record::TrackDesc* track);
  void count_if_alone(const Entry& entry);

  record::SourceRows& rows_;
  const std::size_t most_;
  std::unordered_map<std::uint32_t, Entry> entries_;
  std::deque<std::uint32_t> order_;  // of coming
  bool ops_in_use_ = false;
  std::int64_t largest_disorder_ns_ = 0;
};

}  // namespace runahead::cupti
