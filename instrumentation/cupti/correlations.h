// Correlations: joins the two sides of a correlation id (a call, and the work that the call launched), and
// finds the op to which both belong. The sides may arrive in any order. The memory is bounded. Work whose
// call never arrives is counted as a loss (kUnboundFlow). A call without work is no loss: it may have failed,
// or called a function of the host, or a graph may have captured it. Single-threaded.
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

  // A call that may launch work or wait. If several calls have one id (a call of the runtime API, and the
  // driver call inside it), the outermost call is used.
  void call(std::uint32_t id, const CallEnd& call);
  void work(std::uint32_t id, const WorkEnd& work);
  void op(std::uint32_t id, OpId op);

  // Adds the arrows to the work that began before `complete_ns`: earlier work of the same call has arrived by
  // now.
  void hand_over(std::int64_t complete_ns);

  [[nodiscard]] OpId op_of(std::uint32_t id) const;
  [[nodiscard]] std::optional<CallEnd> call_of(std::uint32_t id) const;
  // True if the op of at least one correlation id was reported. Then a piece of work whose call has not
  // arrived yet may belong to an op.
  [[nodiscard]] bool ops_in_use() const { return ops_in_use_; }
  // The longest time by which work seemed to begin before the call that launched it. Work cannot really begin
  // before its call, so this time shows the error of the clocks.
  [[nodiscard]] std::int64_t largest_disorder_ns() const { return largest_disorder_ns_; }
  // Called when no more records will come. Counts the work whose call did not arrive.
  void close();

 private:
  struct Entry {
    std::optional<CallEnd> call;
    // The tracks to which this call already has an arrow. A launch or a copy has an arrow to one track, a
    // graph may have arrows to several tracks.
    const record::TrackDesc* arrived = nullptr;
    std::vector<const record::TrackDesc*> others_arrived;
    // Work of this id to which there is no arrow yet; only the earliest work of each track.
    std::vector<WorkEnd> waiting;
    bool listed = false;  // in joined_
    OpId op = kNoOp;
  };
  [[nodiscard]] Entry& entry(std::uint32_t id);
  void join(std::uint32_t id, Entry& entry);
  void add_arrow(Entry& entry, const WorkEnd& work);
  [[nodiscard]] static bool has_arrow(const Entry& entry, const record::TrackDesc* track);
  void finish(const Entry& entry);

  record::SourceRows& rows_;
  const std::size_t most_;
  std::unordered_map<std::uint32_t, Entry> entries_;
  std::deque<std::uint32_t> order_;    // ids in order of arrival
  std::vector<std::uint32_t> joined_;  // ids whose call is known, and whose work waits for its arrow
  bool ops_in_use_ = false;
  std::int64_t largest_disorder_ns_ = 0;
};

}  // namespace runahead::cupti
