// BatchBuilder: builds the next batch. It gives ids to strings and tracks, collects rows by lane, and counts
// losses. Use it only under the collector's work mutex.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::record {

// The place of a lane's rows in the batch, and the end of the lane's last row. The next row must not begin
// before this end.
struct LaneWriter {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  Timestamp last_end = timestamp_from_ns(INT64_MIN);
  std::uint64_t serial = 0;  // number of the batch that `index` belongs to
  std::size_t index = 0;
};

struct CounterWriter {
  TrackId track = kNoTrack;
  Timestamp last_at = timestamp_from_ns(INT64_MIN);
  double last_value = 0;
  std::uint64_t serial = 0;
  std::size_t index = 0;
};

class BatchBuilder {
 public:
  BatchBuilder();

  // ---- definitions, made on first use ----------------------------------------------------------------
  [[nodiscard]] StringId string(std::string_view text);
  [[nodiscard]] StringId name_of(const Site* site) {  // null gives the empty name
    // successive events usually have the same site, so its name is cached
    if (site != last_site_) look_up(site);
    return last_text_.name;
  }
  // The argument "line" of a site that has a place. kNoArgs: the site has none, or is null.
  [[nodiscard]] ArgsId args_of(const Site* site) {
    if (site != last_site_) look_up(site);
    return last_text_.args;
  }
  // Returns the id of a text, looked up by address. The text has static storage or is the name of an interned
  // site.
  [[nodiscard]] StringId literal(const char* text);
  // Returns the id of an argument set. Equal sets have the same id. All sets stay in memory for the whole
  // recording, so their number is limited. Therefore a set must not contain values that differ in each row.
  // Beyond the limit, every new set gets the id of one common set, which says that the arguments were
  // omitted.
  static constexpr std::size_t kMostArgSets = 1u << 16;
  [[nodiscard]] ArgsId args_of(const trace::ArgSet& set);
  [[nodiscard]] TrackId track_of(const TrackDesc& desc);  // looked up by the address of `desc`
  // Returns the top-level group with this name, and makes it on first use. Its sort order gives its place in
  // the window. `device`: the device, if the group belongs to a device.
  [[nodiscard]] TrackId group(const std::string& name, const std::string& device = {},
                              bool simulated = false);
  [[nodiscard]] TrackId define(trace::TrackInfo info);  // assigns the id
  void change(const trace::TrackInfo& info);            // the changed track keeps its id

  // ---- rows ------------------------------------------------------------------------------------------
  // REQUIRES: slice.begin >= lane.last_end, slice.end >= slice.begin.
  void add(LaneWriter& lane, const trace::Slice& slice) {
    if (lane.serial != serial_) begin_rows(lane);
    batch_.lanes[lane.index].rows.push_back(slice);
    lane.last_end = slice.end;
    ++slices_;
  }
  // A sample is late if an earlier call added a sample with a later time. The late sample is stored at that
  // later time, because the times of a counter must not decrease, and is counted as kLateRow. Then the value
  // of the sample with the later time is stored once more, because it is the value of the counter from then
  // on.
  void add(CounterWriter& counter, Timestamp at, double value) {
    if (counter.serial != serial_) begin_rows(counter);
    if (at < counter.last_at) return add_late(counter, value);
    batch_.counters[counter.index].rows.push_back({at, value});
    counter.last_at = at;
    counter.last_value = value;
  }
  void add(const trace::Instant& instant) { batch_.instants.push_back(instant); }
  void add(const trace::OpRow& op) { batch_.ops.push_back(op); }
  void add(const trace::Flow& flow) { batch_.flows.push_back(flow); }
  void add(const trace::Dependency& dependency) { batch_.dependencies.push_back(dependency); }
  void add(const trace::Allocation& allocation) { batch_.allocations.push_back(allocation); }
  void lose(trace::LossCause cause, std::uint64_t count = 1) { batch_.losses.add(cause, count); }
  [[nodiscard]] std::vector<trace::OpenSlice>& open_slices() { return batch_.open_slices; }
  [[nodiscard]] std::vector<trace::OpRow>& open_ops() { return batch_.open_ops; }

  // Returns the collected batch and starts the next one.
  [[nodiscard]] trace::Batch take(Timestamp watermark);
  // Returns all definitions of the batches taken so far. Each file begins with these definitions.
  [[nodiscard]] trace::Batch definitions() const;
  [[nodiscard]] std::uint64_t slices() const { return slices_; }

 private:
  // What rows of a site have in common.
  struct SiteText {
    StringId name{};
    ArgsId args = kNoArgs;
  };
  void look_up(const Site* site);
  [[nodiscard]] ArgsId define_args(std::string key, const trace::ArgSet& set);
  void begin_rows(LaneWriter& lane);
  void begin_rows(CounterWriter& counter);
  void add_late(CounterWriter& counter, double value);

  trace::Batch batch_;
  // the number of rows of each lane and counter in the previous batch; the current batch reserves memory for
  // the same number of rows
  std::vector<std::size_t> lane_sizes_, counter_sizes_;
  // The number of the batch that is being built. The numbers start at 2, so that 0 is never the number of the
  // previous batch: a LaneWriter or CounterWriter that is in no batch yet has serial 0.
  std::uint64_t serial_ = 2;
  std::uint64_t slices_ = 0;
  std::vector<std::string> strings_;  // all strings so far; they are few, because there are few sites
  std::vector<trace::TrackInfo> tracks_;
  std::unordered_map<std::string, StringId> string_ids_;
  std::unordered_map<const Site*, SiteText> site_texts_;
  std::unordered_map<const char*, StringId> literals_;
  std::vector<trace::ArgSet> args_;  // the sets with ids 1, 2, ...
  std::unordered_map<std::string, ArgsId> args_ids_;
  const Site* last_site_ = nullptr;
  SiteText last_text_;
  std::unordered_map<const TrackDesc*, TrackId> desc_ids_;
  std::map<std::string, TrackId> groups_;
  std::size_t strings_taken_ = 0, tracks_taken_ = 0, args_taken_ = 0;
};

}  // namespace runahead::record
