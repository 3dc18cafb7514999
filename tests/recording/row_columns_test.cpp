// Tests the columns of rows in a file. Every file has the fixed columns. Only some files have the added
// columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ios>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "instrumentation/recording/format/row_coding.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/columns/row_packing.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/recording_of.h"
#include "tests/recording/trace_rows.h"
#include "tests/recording/whole_rows.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::trace {

// A row type with added columns. The tests need this type, because the real row types may have no added
// columns. The column id 6 is unused, like the id of a column that was removed.
struct Probe {
  Timestamp at{};
  SliceKind kind = SliceKind::kZone;
  std::uint8_t flags = 0;
  std::int64_t depth = -1;
  TrackId track = kNoTrack;
  double load = 0.5;
  SliceKind other_kind = SliceKind::kStep;
  std::uint8_t other_flags = 0;
  friend bool operator==(const Probe&, const Probe&) = default;
};

template <>
struct RowDescription<Probe> {
  static constexpr std::string_view kName = "probe";
  static constexpr int kBlock = 200;
  static constexpr ColumnList kColumns{
      column<1>("ts", columns::TimeAfter<&Probe::at, &Probe::at>{}),
      column<2>("kind", columns::Enum<&Probe::kind, kSliceKindCount>{}),
      column<3>("flags", columns::Flags<&Probe::flags>{}),
      added_column<4>("depth", columns::Count<&Probe::depth>{}),
      added_column<5>("track", columns::TrackOrNone<&Probe::track>{}),
      added_column<7>("load", columns::Real<&Probe::load>{}),
      added_column<8>("other_kind", columns::Enum<&Probe::other_kind, kSliceKindCount>{}),
      added_column<9>("other_flags", columns::Flags<&Probe::other_flags>{}),
  };
};
static_assert(is_well_described<Probe>());
static_assert(kAddedCount<Probe> == 5 && kLastFixedId<Probe> == 3);

}  // namespace runahead::trace

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

// ---- packing and coding
// ------------------------------------------------------------------------------------

std::vector<Probe> random_probes(Random& random, std::size_t count, bool added) {
  std::vector<Probe> out(count);
  Timestamp at{};
  for (Probe& row : out) {
    row.at = at += Duration{random.magnitude(10'000)};
    row.kind = static_cast<SliceKind>(random.integer(0, kSliceKindCount - 1));
    row.flags = static_cast<std::uint8_t>(random.integer(0, 255));
    if (!added) continue;
    row.depth = random.integer(-1, 1'000'000);
    row.track = random.chance(0.3) ? kNoTrack : TrackId{static_cast<std::uint32_t>(random.integer(0, 900))};
    row.load = random.real(-1, 1);
    row.other_kind = static_cast<SliceKind>(random.integer(0, kSliceKindCount - 1));
    row.other_flags = static_cast<std::uint8_t>(random.integer(0, 3));
  }
  return out;
}

std::string coded(std::span<const Probe> rows) {
  ByteWriter out;
  put_columns(out, rows);
  put_added_columns<Probe>(out, std::span(&rows, 1));
  return out.take();
}
bool decoded(std::string_view bytes, std::size_t n, std::vector<Probe>& out,
             UnknownColumns* unknown = nullptr) {
  PayloadReader in(bytes);
  out.assign(n, Probe{});
  read_columns<Probe>(in, out);
  return read_added_columns<Probe>(
      in, n, [&](std::size_t i) -> Probe& { return out[i]; }, unknown);
}

TEST(RowColumns, WhatIsPackedIsWhatIsUnpacked) {
  Random random;
  for (const bool added : {false, true}) {
    const std::vector<Probe> rows = random_probes(random, kBlockRows, added);
    const PackedRows<Probe> packed{std::span<const Probe>(rows)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(packed.row(i), rows[i]);
      ASSERT_EQ(packed.packed<&Probe::kind>(i), static_cast<std::int64_t>(rows[i].kind));
      ASSERT_EQ(packed.packed<&Probe::other_flags>(i), rows[i].other_flags);
    }
  }
}

TEST(RowColumns, AddedColumnsAreWrittenAndRead) {
  Random random;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{200}, std::size_t{2000}}) {
    const std::vector<Probe> rows = random_probes(random, n, true);
    std::vector<Probe> back;
    ASSERT_TRUE(decoded(coded(rows), n, back));
    EXPECT_EQ(back, rows);
  }
}

TEST(RowColumns, AnAddedColumnOfUsualValuesTakesNoByte) {
  Random random;
  std::vector<Probe> rows = random_probes(random, 500, false);
  ByteWriter fixed;
  put_columns(fixed, std::span<const Probe>(rows));
  EXPECT_EQ(coded(rows), fixed.view());
  rows[499].other_kind = SliceKind::kWait;
  const std::string with_one = coded(rows);
  EXPECT_GT(with_one.size(), fixed.size());
  std::vector<Probe> back;
  ASSERT_TRUE(decoded(with_one, 500, back));
  EXPECT_EQ(back, rows);
}

std::string added(std::uint64_t id, std::string_view bytes) {
  ByteWriter out;
  out.varint(id);
  out.text(bytes);
  return out.take();
}
std::string column_of(std::initializer_list<std::int64_t> values) {
  ByteWriter out;
  out.column(std::vector<std::int64_t>(values));
  return out.take();
}

TEST(RowColumns, AnAddedColumnThatIsNotAsItShouldBeIsRefused) {
  const std::vector<Probe> rows(2);
  const std::string fixed = coded(rows);
  const std::string good = column_of({3, 4});
  std::vector<Probe> out;
  UnknownColumns unknown;
  ASSERT_TRUE(decoded(fixed + added(4, good), 2, out));
  EXPECT_EQ(out[1].depth, 4);
  ASSERT_TRUE(decoded(fixed + added(6, "any bytes") + added(7, good) + added(300, ""), 2, out, &unknown));
  EXPECT_EQ(unknown, (UnknownColumns{{"probe", 6}, {"probe", 300}}));
  for (const std::string& wrong : {
           added(3, good),                             // id of a fixed column
           added(0, good),                             // no column has id 0
           added(4, good) + added(4, good),            // column 4 occurs twice
           added(6, "") + added(4, good),              // ids decrease
           added(kMaxColumnId + 1, ""),                // the id is too large
           added(4, good + '\0'),                      // bytes after the values
           added(4, good.substr(0, good.size() - 1)),  // values end early
           added(4, column_of({3, -2})),               // out of range for a count
           added(8, column_of({0, kSliceKindCount})),  // out of range for the enum
           added(6, good).substr(0, 3),                // cut off
           std::string(1, '\4'),
           std::string("\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),  // length 2^64 - 1
       }) {
    EXPECT_FALSE(decoded(fixed + wrong, 2, out)) << ::testing::PrintToString(wrong);
  }
}

// ---- the payloads of every kind ---------------------------------------------------------------------------

// A payload with rows of one kind (from a few batches), and the decoder for this payload.
struct KindOfRows {
  std::string name;
  std::string payload;
  // Decodes `payload` and encodes its rows into `again`. False: the payload cannot be decoded.
  std::function<bool(std::string_view payload, std::string& again, UnknownColumns* unknown)> decode;
};

template <typename Row>
KindOfRows one_sequence(const std::vector<Row>& rows, Payload (*encode)(std::span<const Row>),
                        bool (*decode)(std::string_view, std::vector<Row>&, UnknownColumns*)) {
  return {std::string(RowDescription<Row>::kName), encode(rows).bytes,
          [=](std::string_view payload, std::string& again, UnknownColumns* unknown) {
            std::vector<Row> out;
            if (!decode(payload, out, unknown)) return false;
            again = encode(out).bytes;
            return true;
          }};
}

template <typename Chunk, typename Rows>
std::string encode_all(const std::vector<Rows>& all, Payload (*encode)(std::span<const Chunk>)) {
  std::vector<Chunk> chunks;
  for (const Rows& rows : all) {
    Chunk& chunk = chunks.emplace_back();
    chunk.track = rows.track;
    if constexpr (requires { chunk.depth; }) chunk.depth = rows.depth;
    chunk.rows = rows.rows;
  }
  return encode(chunks).bytes;
}

std::vector<KindOfRows> every_kind(std::uint64_t seed) {
  RandomSource source(seed);
  Batch all;
  for (int i = 0; i < 12; ++i) {
    Batch batch = source.next();
    all.lanes = batch.lanes;  // only the lanes of the last batch, so that no lane occurs twice
    all.counters = batch.counters;
    const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    extend(all.instants, batch.instants);
    extend(all.ops, batch.ops);
    extend(all.flows, batch.flows);
    extend(all.dependencies, batch.dependencies);
    extend(all.allocations, batch.allocations);
  }
  std::ranges::stable_sort(all.instants, {}, &Instant::at);
  for (const LaneRows& lane : all.lanes) all.open_slices.push_back({lane.track, lane.depth, lane.rows[0]});
  std::vector<KindOfRows> out;
  out.push_back({"slice", encode_all<LaneChunk>(all.lanes, encode_slices),
                 [](std::string_view payload, std::string& again, UnknownColumns* unknown) {
                   std::vector<LaneRows> lanes;
                   if (!decode_slices(payload, lanes, unknown)) return false;
                   again = encode_all<LaneChunk>(lanes, encode_slices);
                   return true;
                 }});
  out.push_back({"counter", encode_all<CounterChunk>(all.counters, encode_counters),
                 [](std::string_view payload, std::string& again, UnknownColumns* unknown) {
                   std::vector<CounterRows> counters;
                   if (!decode_counters(payload, counters, unknown)) return false;
                   again = encode_all<CounterChunk>(counters, encode_counters);
                   return true;
                 }});
  out.push_back(one_sequence<Instant>(all.instants, encode_instants, decode_instants));
  out.push_back(one_sequence<OpRow>(all.ops, encode_ops, decode_ops));
  out.push_back(one_sequence<Flow>(all.flows, encode_flows, decode_flows));
  out.push_back(one_sequence<Dependency>(all.dependencies, encode_dependencies, decode_dependencies));
  out.push_back(one_sequence<Allocation>(all.allocations, encode_allocations, decode_allocations));
  out.push_back({"open", encode_open(all.open_slices, all.ops),
                 [](std::string_view payload, std::string& again, UnknownColumns* unknown) {
                   std::vector<OpenSlice> slices;
                   std::vector<OpRow> ops;
                   if (!decode_open(payload, slices, ops, unknown)) return false;
                   again = encode_open(slices, ops);
                   return true;
                 }});
  return out;
}

// A column id that no kind of row uses.
constexpr std::uint64_t kNobodys = 1000;

TEST(RowColumns, WhatAPayloadHoldsIsWrittenTheSameAgain) {
  for (const KindOfRows& kind : every_kind(test_seed())) {
    std::string again;
    UnknownColumns unknown;
    ASSERT_TRUE(kind.decode(kind.payload, again, &unknown)) << kind.name;
    EXPECT_EQ(again, kind.payload) << kind.name;
    EXPECT_TRUE(unknown.empty()) << kind.name;
  }
}

TEST(RowColumns, AColumnThatThisVersionDoesNotKnowIsPassedOverInEveryKind) {
  for (const KindOfRows& kind : every_kind(test_seed())) {
    if (kind.name == "open") continue;
    std::string again;
    UnknownColumns unknown;
    ASSERT_TRUE(kind.decode(kind.payload + added(kNobodys, "what it holds") + added(kNobodys + 5, ""), again,
                            &unknown))
        << kind.name;
    EXPECT_EQ(again, kind.payload) << kind.name;
    EXPECT_EQ(unknown, (UnknownColumns{{kind.name, kNobodys}, {kind.name, kNobodys + 5}}));
    EXPECT_FALSE(kind.decode(kind.payload + added(kNobodys, "") + added(kNobodys, ""), again, nullptr));
    EXPECT_FALSE(kind.decode(kind.payload + added(1, ""), again, nullptr)) << kind.name;
    EXPECT_FALSE(kind.decode(kind.payload + '\0', again, nullptr)) << kind.name;
  }
}

TEST(RowColumns, WhatIsOpenHasAddedColumnsOfItsSlicesAndOfItsOps) {
  const KindOfRows open = every_kind(test_seed()).back();
  const std::string slices = '\5' + added(kNobodys, "of the slices"),
                    ops = '\10' + added(kNobodys, "of the ops");
  std::string again;
  UnknownColumns unknown;
  ASSERT_TRUE(open.decode(open.payload + slices + ops, again, &unknown));
  EXPECT_EQ(again, open.payload);
  EXPECT_EQ(unknown, (UnknownColumns{{"op", kNobodys}, {"slice", kNobodys}}));
  EXPECT_FALSE(open.decode(open.payload + slices + slices, again, nullptr));
  EXPECT_FALSE(open.decode(open.payload + '\6' + added(kNobodys, "of nothing there"), again, nullptr));
  EXPECT_FALSE(open.decode(open.payload + '\5', again, nullptr));
}

// ---- files ------------------------------------------------------------------------------------------------

// Returns the file with an unknown column added to every block of rows.
std::string with_unknown_columns(const std::string& file) {
  std::string out = make_preamble(kRecordingVersion);
  BlockOpener opener;
  BlockSealer sealer;
  for (const BlockPlace& place : blocks_of(file)) {
    // The footer is omitted. The other blocks move, so the offsets in the footer would be wrong.
    if (place.kind == BlockKind::kFooter) continue;
    const std::string_view block = std::string_view(file).substr(place.begin, place.end - place.begin);
    std::string payload(*opener.open(*parse_block_header(block), block.substr(kBlockHeaderBytes)));
    const bool rows = place.kind >= BlockKind::kSlices && place.kind <= BlockKind::kFlows;
    if (rows || place.kind == BlockKind::kDependencies || place.kind == BlockKind::kAllocations)
      payload += added(kNobodys, "something");
    sealer.seal(place.kind, Payload(payload), 0, out);
  }
  return out;
}

// Writes a random recording that has rows of every type, and returns its bytes. With some seeds a recording
// has no counter, and therefore no allocations: then the next seed is tried.
std::string recording_with_every_row_type(const std::filesystem::path& path) {
  for (std::uint64_t seed = test_seed();; ++seed) {
    std::string file = grouped_recording(seed, 8);
    write_file(path, file);
    const auto trace = load_recording(path);
    if (!trace.ok()) return file;  // the test fails
    const trace::TraceCounts counts = trace->counts();
    const bool every = counts.slices > 0 && counts.instants > 0 && counts.counter_samples > 0 &&
                       counts.flows > 0 && counts.ops > 0 && counts.dependencies > 0 &&
                       counts.allocations > 0;
    if (every) return file;
  }
}

TEST(RowColumns, AFileWithColumnsOfALaterVersionHasAllItsRowsAndSaysSoOnce) {
  const ScratchFolder folder;
  const std::string file = recording_with_every_row_type(folder / "now.runahead");
  write_file(folder / "later.runahead", with_unknown_columns(file));
  const auto now = load_recording(folder / "now.runahead"), later = load_recording(folder / "later.runahead");
  ASSERT_TRUE(now.ok() && later.ok());
  EXPECT_EQ(row_lines(*later), row_lines(*now));
  EXPECT_EQ(later->losses().of(LossCause::kFileUnknown), 0u);
  EXPECT_EQ(now->metadata().count("recording.unknown_columns"), 0u);
  EXPECT_EQ(later->metadata().at("recording.unknown_columns"),
            "counter 1000, dependency 1000, flow 1000, holding 1000, instant 1000, op 1000, slice 1000");
}

std::string visible(const std::string& text) {
  std::ostringstream out;
  for (const char c : text) {
    if (c == '\n' || (c >= ' ' && c <= '~')) {
      out << c;
    } else {
      out << "\\x" << std::hex << (static_cast<unsigned>(c) & 0xffu) << std::dec;
    }
  }
  return out.str();
}

TEST(RowColumns, ADropOutsideOfTheLifeOfItsBlockIsRefused) {
  using Kind = KindAt<Allocation, kColumnIndex<&Allocation::dropped>>;
  Allocation row{.begin = timestamp_from_ns(100), .end = timestamp_from_ns(150)};
  for (const auto& [coded, dropped] :
       {std::pair{0, kNever}, std::pair{1, row.end}, std::pair{51, row.begin}}) {
    ASSERT_TRUE(Kind::decode(row, coded)) << coded;
    EXPECT_EQ(row.dropped, dropped);
    EXPECT_EQ(Kind::coded(row), coded);
  }
  for (const std::int64_t coded : {std::int64_t{52}, std::int64_t{-1}, INT64_MAX, INT64_MIN})
    EXPECT_FALSE(Kind::decode(row, coded)) << coded;
  row.end = kNever;
  EXPECT_FALSE(Kind::decode(row, 1)) << "a live block";
  EXPECT_TRUE(Kind::decode(row, 0));
}

// An old version, without row descriptions and added columns, wrote recording_v1.runahead. The rows in the
// text file were compared with the output of that version. Never change these two files.
TEST(RowColumns, ARecordingOfBeforeAddedColumnsOpensWithAllItsRows) {
  const std::string path = std::string(RUNAHEAD_GOLDEN_DIR) + "/recording_v1";
  const auto trace = load_recording(path + ".runahead");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const std::string text = visible(rows_text(*trace));
  if (std::getenv("RUNAHEAD_UPDATE_GOLDEN") != nullptr) write_file(path + ".txt", text);
  EXPECT_EQ(file_bytes(path + ".txt"), text);
  trace->allocations().each(Timestamp::max(),
                            [](const Allocation& row) { EXPECT_EQ(row.dropped, kNever) << row.block; });
  EXPECT_TRUE(trace->losses().of(LossCause::kFileUnknown) == 0 &&
              trace->metadata().at("recording.ended") == "yes");
}

TEST(RowColumns, ARecordingOfBeforeAddedColumnsWouldBeWrittenTheSameNow) {
  const std::string file = file_bytes(std::string(RUNAHEAD_GOLDEN_DIR) + "/recording_v1.runahead");
  BlockOpener opener;
  std::vector<BlockKind> seen;
  for (const BlockPlace& place : blocks_of(file)) {
    const std::string_view block = std::string_view(file).substr(place.begin, place.end - place.begin);
    const std::string payload(*opener.open(*parse_block_header(block), block.substr(kBlockHeaderBytes)));
    std::size_t kinds = 0;
    for (const KindOfRows& kind : every_kind(1)) {
      constexpr std::array<BlockKind, 8> kKinds{
          BlockKind::kSlices, BlockKind::kCounters,     BlockKind::kInstants,    BlockKind::kOps,
          BlockKind::kFlows,  BlockKind::kDependencies, BlockKind::kAllocations, BlockKind::kOpen};
      if (kKinds[kinds++] != place.kind) continue;
      std::string again;
      ASSERT_TRUE(kind.decode(payload, again, nullptr)) << kind.name;
      EXPECT_EQ(again, payload) << kind.name;
      if (std::ranges::find(seen, place.kind) == seen.end()) seen.push_back(place.kind);
    }
  }
  EXPECT_EQ(seen.size(), 8u) << "the file has every kind of row";
}

}  // namespace
}  // namespace runahead::recordings
