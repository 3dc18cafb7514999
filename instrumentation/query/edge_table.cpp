// The SQL table `edge`: the graph of causes (a trace of several ranks has one for each). It is computed when
// a statement first reads the table; a row is made from it when SQLite asks for it.
#include <array>
#include <optional>
#include <string_view>

#include "instrumentation/query/trace_tables.h"

namespace runahead::query {
namespace {

using causes::Execution;
using causes::StreamEdge;

enum EdgeColumn : int {
  kEdgeKind,
  kEdgeEvidence,
  // each end: the same columns in the same order
  kEdgeFrom,
  kEdgeTo = kEdgeFrom + 6,
  kEdgeColumnCount = kEdgeTo + 6
};
enum EndColumn : int { kEndSlice, kEndTrack, kEndTrackName, kEndTs, kEndName, kEndCorrelation };
constexpr std::array<Column, kEdgeColumnCount> kEdgeColumns{{{"kind", "TEXT"},
                                                             {"evidence", "TEXT"},
                                                             {"from_slice", "INTEGER"},
                                                             {"from_track", "INTEGER"},
                                                             {"from_track_name", "TEXT"},
                                                             {"from_ts", "INTEGER"},
                                                             {"from_name", "TEXT"},
                                                             {"from_correlation", "INTEGER"},
                                                             {"to_slice", "INTEGER"},
                                                             {"to_track", "INTEGER"},
                                                             {"to_track_name", "TEXT"},
                                                             {"to_ts", "INTEGER"},
                                                             {"to_name", "TEXT"},
                                                             {"to_correlation", "INTEGER"}}};

std::string_view word_of(StreamEdge::Kind kind) {
  switch (kind) {
    case StreamEdge::Kind::kStreamWait:
      return "stream_wait";
    case StreamEdge::Kind::kDefaultStream:
      return "default_stream";
    case StreamEdge::Kind::kOp:
      return "op";
  }
  return "";
}

// One end of an edge.
struct End {
  TrackId track = kNoTrack;
  Timestamp at{};
  std::int64_t correlation = 0;
  // begin and name of the slice; no name: the slice around `at`
  Timestamp begin{};
  std::optional<StringId> name{};
};

struct Edge {
  std::string_view kind;
  causes::Evidence evidence = causes::Evidence::kRecorded;
  End from, to;
};

// The edges of one graph after the other. In a graph, the places are numbered: first every piece of work (its
// launch), then the edges between streams, then the synchronisations. Work without a launch and
// synchronisations that waited for nothing have no row.
class EdgeRows final : public Rows {
 public:
  explicit EdgeRows(const TraceTables& of) : of_(of) {}
  void start(const Wanted&) override {
    part_ = at_ = row_ = 0;
    skip();
  }
  [[nodiscard]] bool done() const override { return part_ >= of_.synchronisations().parts().size(); }
  void next() override {
    ++at_;
    ++row_;
    skip();
  }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(row_); }
  void column(int column, Value& value) const override {
    const Edge edge = here();
    if (column == kEdgeKind) return value.text(edge.kind);
    if (column == kEdgeEvidence)
      return value.text(edge.evidence == causes::Evidence::kRecorded ? "recorded" : "inferred");
    column < kEdgeTo ? put_end(edge.from, column - kEdgeFrom, value)
                     : put_end(edge.to, column - kEdgeTo, value);
  }

 private:
  [[nodiscard]] const causes::Synchronisations::Part& part() const {
    return of_.synchronisations().parts()[part_];
  }
  [[nodiscard]] const Execution& execution() const { return part().execution; }
  [[nodiscard]] std::uint64_t first_stream_edge() const { return execution().works().size(); }
  [[nodiscard]] std::uint64_t first_synchronisation() const {
    return first_stream_edge() + execution().stream_edges().size();
  }
  // Goes on to the next edge, if the cursor is not on one.
  void skip() {
    for (; !done(); ++part_, at_ = 0) {
      const std::uint64_t end = first_synchronisation() + part().all.size();
      while (at_ < end && !is_edge()) ++at_;
      if (at_ < end) return;
    }
  }
  [[nodiscard]] bool is_edge() const {
    if (at_ < first_stream_edge()) return execution().works()[at_].is_launched();
    return at_ < first_synchronisation() || synchronisation().awaited != causes::kNone;
  }
  [[nodiscard]] const causes::Synchronisation& synchronisation() const {
    return part().all[at_ - first_synchronisation()];
  }

  [[nodiscard]] Edge here() const {
    if (at_ < first_stream_edge()) {
      const causes::Work& work = execution().works()[at_];
      return {.kind = "launch",
              .from = {.track = work.launched_by, .at = work.launched, .correlation = work.correlation},
              .to = begin_of(static_cast<causes::WorkIndex>(at_))};
    }
    if (at_ < first_synchronisation()) {
      const StreamEdge& edge = execution().stream_edges()[at_ - first_stream_edge()];
      return {word_of(edge.kind), edge.evidence, end_of(edge.before), begin_of(edge.after)};
    }
    const causes::HostCall& call = execution().calls()[synchronisation().call];
    return {"completion",
            synchronisation().evidence,
            end_of(synchronisation().awaited),
            {call.thread, call.end, call.correlation, call.begin, call.name}};
  }
  [[nodiscard]] End begin_of(causes::WorkIndex index) const {
    const causes::Work& work = execution().works()[index];
    return {execution().streams()[work.stream].track, work.begin, work.correlation, work.begin, work.name};
  }
  [[nodiscard]] End end_of(causes::WorkIndex index) const {
    End end = begin_of(index);
    end.at = execution().works()[index].end;
    return end;
  }

  void put_end(const End& end, int column, Value& value) const {
    switch (column) {
      case kEndSlice:
        if (const auto slice = slice_of(end)) value.integer(static_cast<std::int64_t>(*slice));
        return;
      case kEndTrack:
        return put_track(end.track, value);
      case kEndTrackName:
        return value.text(of_.trace().track(end.track).info.name);
      case kEndTs:
        return value.integer(ns_from(end.at));
      case kEndName:
        return put_name(end, value);
      default:
        if (end.correlation != 0) value.integer(end.correlation);
    }
  }
  void put_name(const End& end, Value& value) const {
    if (end.name) return value.text(of_.trace().string(*end.name));
    const std::optional<std::uint64_t> slice = slice_of(end);
    const auto place = slice ? of_.place_of(static_cast<std::int64_t>(*slice)) : std::nullopt;
    if (!place || place->open) return;
    const trace::Lane& lane = of_.trace().track(place->track).lanes[place->depth];
    value.text(of_.trace().string(lane.slice(place->row).name));
  }
  [[nodiscard]] std::optional<std::uint64_t> slice_of(const End& end) const {
    return end.name ? of_.slice_at(end.track, end.begin, *end.name) : of_.slice_around(end.track, end.at);
  }

  const TraceTables& of_;
  std::size_t part_ = 0;            // the graph of a rank
  std::uint64_t at_ = 0, row_ = 0;  // place in the graph; number of the row
};

}  // namespace

void add_edge_table(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const double edges = static_cast<double>(of.slice_count()) / 4 + 1;  // a guess
  add_table_of<EdgeRows>(of, {"edge", kEdgeColumns, {}, edges}, out);
}

}  // namespace runahead::query
