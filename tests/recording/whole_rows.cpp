#include "tests/recording/whole_rows.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/recording/random_batches.h"
#include "tests/support/row_text.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {

using namespace trace;
using namespace recordings;

namespace {

class RowLines {
 public:
  void add(TrackId track, std::uint32_t depth, const Slice& slice) {
    line("slice " + std::to_string(raw(track)) + ' ' + std::to_string(depth), slice);
  }
  void add(TrackId track, const CounterSample& sample) {
    line("sample " + std::to_string(raw(track)), sample);
  }
  template <typename Row>
  void add(const Row& row) {
    line(std::string(RowDescription<Row>::kName), row);
  }
  template <typename Row>
  void add_all(const std::vector<Row>& rows) {
    for (const Row& row : rows) add(row);
  }
  [[nodiscard]] std::vector<std::string> sorted() && {
    std::ranges::sort(lines_);
    return std::move(lines_);
  }

 private:
  template <typename Row>
  void line(const std::string& what, const Row& row) {
    std::ostringstream out;
    out.precision(17);
    out << what;
    write_columns(out, row, IdsAsText{});
    lines_.push_back(std::move(out).str());
  }
  std::vector<std::string> lines_;
};

void add_rows_of_block(BlockKind kind, std::string_view payload, RowLines& out) {
  Batch batch;
  switch (kind) {
    case BlockKind::kSlices:
      RUNAHEAD_CHECK(decode_slices(payload, batch.lanes));
      for (const LaneRows& lane : batch.lanes) {
        for (const Slice& slice : lane.rows) out.add(lane.track, lane.depth, slice);
      }
      return;
    case BlockKind::kCounters:
      RUNAHEAD_CHECK(decode_counters(payload, batch.counters));
      for (const CounterRows& counter : batch.counters) {
        for (const CounterSample& sample : counter.rows) out.add(counter.track, sample);
      }
      return;
    case BlockKind::kInstants:
      RUNAHEAD_CHECK(decode_instants(payload, batch.instants));
      return out.add_all(batch.instants);
    case BlockKind::kOps:
      RUNAHEAD_CHECK(decode_ops(payload, batch.ops));
      return out.add_all(batch.ops);
    case BlockKind::kFlows:
      RUNAHEAD_CHECK(decode_flows(payload, batch.flows));
      return out.add_all(batch.flows);
    case BlockKind::kDependencies:
      RUNAHEAD_CHECK(decode_dependencies(payload, batch.dependencies));
      return out.add_all(batch.dependencies);
    case BlockKind::kAllocations:
      RUNAHEAD_CHECK(decode_allocations(payload, batch.allocations));
      return out.add_all(batch.allocations);
    default:
      return;
  }
}

}  // namespace

std::vector<BlockPlace> blocks_of(std::string_view file) {
  std::vector<BlockPlace> blocks;
  std::size_t at = kPreambleBytes;
  while (file.size() - at >= kBlockHeaderBytes) {
    const auto header = parse_block_header(file.substr(at));
    if (!header) break;
    const std::size_t end = at + kBlockHeaderBytes + header->stored_bytes;
    blocks.push_back({static_cast<BlockKind>(header->kind), at, end});
    at = end;
  }
  return blocks;
}

void flip(std::string& file, std::size_t bit) {
  file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << (bit % 8)));
}

std::vector<std::string> rows_of_others(const std::string& whole, const std::vector<BlockPlace>& blocks,
                                        const std::set<std::size_t>& damaged) {
  RowLines lines;
  BlockOpener opener;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (damaged.contains(i)) continue;
    const std::string_view block =
        std::string_view(whole).substr(blocks[i].begin, blocks[i].end - blocks[i].begin);
    const auto payload = opener.open(*parse_block_header(block), block.substr(kBlockHeaderBytes));
    add_rows_of_block(blocks[i].kind, *payload, lines);
  }
  return std::move(lines).sorted();
}

std::vector<std::string> row_lines(const Trace& trace) {
  RowLines lines;
  for (const Track& track : trace.tracks()) {
    for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row)
        lines.add(track.info.id, depth, lane.slice(row));
    }
    const CounterSeries& counter = track.counter;
    for (std::uint64_t row = counter.first_row(); row < counter.end_row(); ++row)
      lines.add(track.info.id, counter.sample(row));
  }
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) lines.add(trace.instant(i));
  for (std::uint64_t i = 0; i < trace.op_count(); ++i) lines.add(trace.op_row(i));
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) lines.add(trace.flow(i));
  for (std::uint64_t i = 0; i < trace.dependency_count(); ++i) lines.add(trace.dependency(i));
  for (std::uint64_t i = 0; i < trace.allocations().size(); ++i) lines.add(trace.allocations().row(i));
  return std::move(lines).sorted();
}

std::string grouped_recording(std::uint64_t seed, int batches, std::int64_t most_rows, bool finish) {
  const ScratchFolder folder;
  RandomSource source(seed, most_rows);
  auto writer = RecordingWriter::create(folder / "a.runahead", {{"host", "here"}}, {.gather_bytes = 0});
  for (int i = 0; i < batches; ++i) RUNAHEAD_CHECK((*writer)->write(source.next()).ok());
  if (!finish) return file_bytes(folder / "a.runahead");
  RUNAHEAD_CHECK((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

}  // namespace runahead::testing
