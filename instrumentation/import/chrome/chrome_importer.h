// ChromeImporter: accepts the events of a Chrome trace one by one, in any order, and makes the rows of a
// Trace. docs/import.md says what the importer makes of each phase (event type). Events that a trace cannot
// represent are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/chrome/chrome_flows.h"
#include "instrumentation/import/chrome/chrome_tracks.h"
#include "instrumentation/import/chrome/event_meaning.h"
#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/import/common/import_names.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

class ChromeImporter {
 public:
  // `trace` and `names` must outlive this object. `names` must have been made for `trace`.
  ChromeImporter(Trace& trace, ImportNames& names)
      : trace_(trace), names_(names), meanings_(names), tracks_(names), known_(names) {}

  // Adds the event. Removes the arguments that become fields of a slice (only in our own exports) from
  // event.args.
  void add(ChromeEvent& event);
  void add_loss(LossCause cause, std::uint64_t count = 1) { losses_.add(cause, count); }
  // Counts events that a timeline cannot show: as losses (kImportSkipped), and by their kind (`group` and
  // `name`).
  void skip(std::string_view group, std::string_view name, std::uint64_t count = 1) {
    losses_.add(LossCause::kImportSkipped, count);
    skipped_.add(group, name, count);
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // Call it if the file is our own export. Such a file already has the allocator's counters as counter
  // events, so they must not be made again from the allocator's instants.
  void set_own_export() { own_export_ = true; }

  // Makes the rows. The time of the earliest row becomes time 0. Call it once, at the end.
  void finish();
  // The time in the file that became time 0 of the trace. Valid after finish().
  [[nodiscard]] std::int64_t first_ns() const { return base_.count(); }

 private:
  struct KnownNames {
    explicit KnownNames(ImportNames& names);
    StringId process_name, process_labels, process_sort_index, thread_name, thread_sort_index;
    StringId name, labels, sort_index;
  };
  struct Point {  // an instant whose track does not exist yet
    enum class Of : std::uint8_t { kThread, kAsync };
    Of of = Of::kThread;
    std::uint32_t index = 0;
    Instant instant;
  };
  struct LateFlow {  // a point of a flow; its thread has no track yet
    std::uint32_t thread = 0;
    FlowPoint point;
  };
  struct MemorySample {
    Timestamp at{};
    MemoryMeaning memory;
    std::uint32_t thread = 0;
  };
  struct LateAllocation {  // an allocation whose tracks do not exist yet
    std::uint32_t counter = 0, thread = 0;
    Allocation row;
  };
  using DeviceKey = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;  // process, device type, device id

  // Each of these functions adds one kind of event. REQUIRES: the event has a time (metadata needs none).
  void add_complete(ChromeEvent& event);
  void add_edge(ChromeEvent& event);
  void add_async(ChromeEvent& event);
  void add_flow(const ChromeEvent& event, FlowPoint::Phase phase);
  void add_slice_flow(const ChromeEvent& event, std::uint32_t thread);
  void add_instant(ChromeEvent& event);
  void add_counter(const ChromeEvent& event);
  void add_metadata(const ChromeEvent& event);
  void see(Timestamp begin, Timestamp end);
  // Calls visit(rows, time) for each list of collected rows. time(row) is the start time of a row.
  template <typename Visit>
  void each_list(Visit visit);
  // A recording can span only a limited time (kMaxTimeNs in payload.h). If the rows span more, drops and
  // counts the rows outside the range that nearest_times() returns.
  void drop_distant();
  [[nodiscard]] TimeRange nearest_times();

  void finish_memory();
  void pair_blocks(const std::vector<MemorySample>& samples, std::uint32_t counter);
  void finish_allocations();
  [[nodiscard]] StringId allocating_op(TrackId thread, Timestamp at) const;
  void finish_threads();
  void finish_asyncs();
  void finish_async_group(const std::vector<std::uint32_t>& ids);
  void lay_side_by_side(const std::vector<std::uint32_t>& ids, TrackId track);
  [[nodiscard]] std::vector<Slice> slices_of(ImportedAsync& async);
  TrackId add_async_track(std::uint32_t process, std::string name);
  void finish_counters();
  void finish_instants();
  void finish_flows();
  // Nests the slices and appends their lanes to the track. The first of these lanes has depth `first_depth`.
  // Returns the number of lanes.
  std::uint32_t append_slices(TrackId track, std::vector<Slice> slices, std::uint32_t first_depth);

  Trace& trace_;
  ImportNames& names_;
  EventMeanings meanings_;
  ChromeTracks tracks_;
  KnownNames known_;
  std::vector<Point> points_;
  std::vector<LateFlow> flows_;
  std::map<DeviceKey, std::vector<MemorySample>> memory_;
  std::vector<LateAllocation> allocations_;
  LossCounts losses_;
  SkippedKinds skipped_;
  bool own_export_ = false;
  std::uint64_t events_ = 0;
  Timestamp first_ = Timestamp::max(), last_ = Timestamp::min();
  Duration base_{};
};

}  // namespace runahead::importers
