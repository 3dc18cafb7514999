// RowTaker: adds the rows of row sources to the batch: tracks, lanes, arguments, arrows, samples. Use it
// under the collector's work mutex.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/record/derived_counters.h"
#include "instrumentation/record/hooks/row_source.h"
#include "instrumentation/record/op_tracker.h"
#include "instrumentation/record/thread_source.h"

namespace runahead::record {

class RowTaker {
 public:
  // Returns the source of the thread with this kernel thread number; null: the thread has recorded nothing.
  using FindThread = std::function<ThreadSource*(std::int64_t tid)>;

  RowTaker(DecodeContext& context, CopyBandwidth& bandwidth, FindThread find_thread)
      : context_(context), bandwidth_(bandwidth), find_thread_(std::move(find_thread)) {}

  void add(std::shared_ptr<RowSource> source) { sources_.push_back(std::move(source)); }
  // Takes rows from all sources. Releases a source that has no more rows.
  void take();
  // Adds the arrows that start at the enqueue of their op. REQUIRES: `ops` has received all events before
  // `watermark`.
  void bind_to_enqueues(OpTracker& ops, Timestamp watermark);
  // Returns the time before which the sources have returned all their rows. The bandwidth of copies is known
  // up to this time. nullopt: there is no source.
  [[nodiscard]] std::optional<Timestamp> complete_until() const;

 private:
  void take_rows();
  void take_begun(const RowBegun& begun);
  void take_slice(const RowSlice& slice);
  void take_instant(const RowInstant& instant);
  void take_flow(const RowFlow& flow);
  void add_flow(const RowFlow& flow, TrackId from, Timestamp from_time);
  void take_sample(const RowSample& sample);
  [[nodiscard]] ArgsId args_of(const RowSlice& slice);
  [[nodiscard]] const TrackDesc& track_beside(const RowPlace& place);
  [[nodiscard]] TrackId track_of(const RowPlace& place);  // kNoTrack: the thread has recorded nothing
  [[nodiscard]] const TrackDesc& desc_of(const RowPlace& place) {
    return place.track != nullptr ? *place.track : track_beside(place);
  }
  // False: the row ended before the recording started, or it is not possible().
  [[nodiscard]] bool within(std::int64_t end_ns) {
    return end_ns >= context_.clock.origin_ns() && possible(end_ns);
  }
  // False: the time is long after now, so the record is damaged. The row is counted as lost.
  [[nodiscard]] bool possible(std::int64_t at_ns);

  DecodeContext& context_;
  CopyBandwidth& bandwidth_;
  const FindThread find_thread_;
  std::vector<std::shared_ptr<RowSource>> sources_;
  SourceRows rows_;               // keeps its capacity
  std::vector<RowFlow> unbound_;  // flows that wait until `ops` knows the enqueue of their op
  std::int64_t complete_ns_ = INT64_MIN;
  std::int64_t latest_possible_ns_ = INT64_MAX;
  std::map<std::pair<std::int64_t, std::string_view>, const TrackDesc*> beside_;
  std::unordered_map<const TrackDesc*, CounterWriter> counters_;
};

}  // namespace runahead::record
