// Decoder: turns CUPTI's records into rows of the timeline: GPU work on streams, CUDA calls next to the
// threads that made them, arrows (from the slice of an op to its CUDA call, from the call to the work, from
// the work to the wait for it), memory counters, CUPTI's overhead, NVTX ranges. Pure and single-threaded;
// does not depend on CUPTI.
//
// Records arrive in deliveries (the records of one fetch from CUPTI). The order of the records within and
// between deliveries has no meaning. commit() ends a delivery and hands over the rows that are final: those
// before the time until which the deliveries are complete. If the op of some work is unknown, the work waits
// for at most two more deliveries.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrumentation/cupti/correlations.h"
#include "instrumentation/cupti/markers.h"
#include "instrumentation/cupti/memory_activity.h"
#include "instrumentation/cupti/names.h"
#include "instrumentation/cupti/records.h"
#include "instrumentation/cupti/streams.h"
#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

struct DecoderOptions {
  // Number of correlation ids to remember. A correlation id connects a call with the work that the call
  // launched. Beyond this number the oldest ids are forgotten. A forgotten id that has only work is counted
  // (kUnboundFlow).
  std::size_t correlations = 1u << 16;
};

class Decoder {
 public:
  explicit Decoder(DecoderOptions options = {});

  void add(const Record& record);
  // Counts lost records, as reported by CUPTI or its buffers.
  void lose_records(std::uint64_t count) { made_.losses.add(trace::LossCause::kDeviceRecords, count); }
  // `device`: the device of this stream. Call name_stream() before the stream's first work, because the
  // stream's track is made and named then.
  void name_stream(std::uint32_t device, std::uint32_t stream, std::string name) {
    streams_.name(device, stream, std::move(name));
  }
  // Ends a delivery. The deliveries so far contain all activity that CUPTI recorded and that ended before
  // `complete_ns`.
  void commit(std::int64_t complete_ns);
  // Called when no more records will come. Some rows still wait for another record. If such a row is usable
  // without that record, it is handed over; otherwise it is counted as a loss.
  void close(std::int64_t at_ns);
  // Stores the observed error of CUPTI's host clock. The rows contain a counter with a lower bound of the
  // clock error between host and device. This bound is the larger of two times: the observed error, and the
  // longest time by which work seemed to begin before its call.
  void note_clock_error(std::int64_t error_ns);

  // Returns the rows of all commits since the last call.
  void take(record::SourceRows& rows);
  [[nodiscard]] std::int64_t clock_error_ns() const { return clock_error_ns_; }
  // The number of rows that were not taken yet.
  [[nodiscard]] std::size_t rows() const { return held_.size() + ready_.slices.size() + ready_.flows.size(); }

 private:
  // Maximum number of deliveries for which work waits for its op, or a synchronisation waits for its call.
  static constexpr int kPatience = 2;
  static constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();
  struct Held {
    record::RowSlice slice;
    std::uint32_t correlation = 0;
    int commits = 0;
    [[nodiscard]] bool is_work() const { return slice.place.track != nullptr; }
  };
  struct Waiting {
    SynchronizationRecord record{};
    int commits = 0;
  };

  void add_kernel(const KernelRecord& kernel);
  void add_copy(const CopyRecord& copy);
  void add_memset(const MemsetRecord& memset);
  void add_graph(const GraphRecord& graph);
  void add_call(const CallRecord& call);
  void add_synchronization(const SynchronizationRecord& synchronization);
  void add_overhead(const OverheadRecord& overhead);
  // True if the work has times. Work without times is counted as lost.
  [[nodiscard]] bool has_times(const Work& work);
  void add_work(const Work& work, const record::Site& site, std::uint64_t bytes);
  void put_place(const Work& work);
  void put(const char* key, record::RowArgValue value) { made_.args.push_back({key, value}); }

  void hand_over_slices(std::int64_t complete_ns);
  [[nodiscard]] bool is_final(Held& held, std::int64_t complete_ns);
  void hand_over(const Held& held);
  void hand_over(const record::RowSlice& slice);
  void end_waits(bool all);
  [[nodiscard]] bool end_wait(const SynchronizationRecord& record);
  [[nodiscard]] static bool may_be_query(SynchronizationKind kind);
  void sample_clock_error(std::int64_t at_ns);

  record::SourceRows made_, ready_;
  // Slices of work and of calls that are not handed over yet; their arguments are in made_.args.
  std::vector<Held> held_;
  std::vector<Waiting> waiting_;
  std::uint32_t first_arg_ = 0;
  Names names_;
  std::unordered_map<std::uint32_t, const char*> device_names_;
  Streams streams_;
  Correlations correlations_;
  Memory memory_{made_};
  Markers markers_{made_, names_};
  std::int64_t clock_error_ns_ = 0, clock_error_shown_ns_ = -1;
};

}  // namespace runahead::cupti
