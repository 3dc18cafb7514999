// Tests ops, flows, dependencies and allocations of a recording that is opened by its index.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

constexpr std::int64_t kOps = 9000;

// Makes ops in the order in which they end, each with a flow and some dependencies. The caller chooses the
// number of ops of each batch.
class OpSource {
 public:
  explicit OpSource(std::uint64_t seed) : random_(seed) {}
  Batch next(std::int64_t ops) {
    Batch batch;
    if (id_ == 0) {
      batch.strings = {"", "matmul", "add"};
      batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kFrontend, .name = "main"});
      batch.tracks.push_back(TrackInfo{.id = TrackId{1}, .kind = TrackKind::kWorker, .name = "cpu 0"});
      batch.tracks.push_back(TrackInfo{.id = TrackId{2}, .kind = TrackKind::kCounter, .name = "live"});
    }
    for (; ops > 0; --ops) add(batch);
    batch.watermark = at_;
    return batch;
  }

 private:
  void add(Batch& batch) {
    const OpId id{++id_ ^ (random_.chance(0.2) ? 1u : 0u)};  // some ops do not end in the order of their ids
    at_ += Duration{random_.magnitude(5000)};
    OpRow op{id, StringId{static_cast<std::uint32_t>(random_.integer(1, 2))}, random_.integer(-1, 40)};
    op.enqueued = at_ - Duration{random_.magnitude(50'000)};
    op.ready = op.started = at_ - Duration{random_.integer(0, 10)};
    op.ended = at_;
    op.enqueue_track = TrackId{0};
    op.execute_track = TrackId{1};
    op.output_bytes = random_.magnitude(1 << 30);
    batch.ops.push_back(op);
    batch.flows.push_back(
        {FlowKind::kEnqueueToExecute, TrackId{0}, TrackId{1}, op.enqueued, op.started, id, {}});
    for (std::int64_t n = random_.integer(0, 3); n > 0 && raw(id) > 1; --n) {
      const auto on = static_cast<std::uint64_t>(random_.integer(1, static_cast<std::int64_t>(raw(id)) - 1));
      batch.dependencies.push_back({id, OpId{on}, DependencyKind::kReadAfterWrite, op.enqueued});
    }
    Allocation held{.block = raw(id),
                    .counter = TrackId{2},
                    .category = StringId{2},
                    .name = op.name,
                    .op = id,
                    .size_bytes = random_.magnitude(1 << 30),
                    .begin = op.enqueued};
    if (random_.chance(0.3)) batch.allocations.push_back(held);
    held.end = at_;
    if (random_.chance(0.5))
      held.dropped = held.end - Duration{random_.integer(0, ns_from(held.end - held.begin))};
    if (held.dropped == held.begin) held.early_drop_ns = random_.magnitude(1 << 30);
    batch.allocations.push_back(held);
  }

  Random random_;
  std::uint64_t id_ = 0;
  Timestamp at_{std::chrono::milliseconds(1)};
};

std::string recording(std::uint64_t seed, std::int64_t most_at_once) {
  const ScratchFolder folder;
  Random random(seed);
  OpSource source(seed);
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, {.gather_bytes = 0});
  for (std::int64_t left = kOps; left > 0;) {
    const std::int64_t n = std::min(left, random.integer(1, most_at_once));
    EXPECT_TRUE((*writer)->write(source.next(n)).ok());
    left -= n;
  }
  EXPECT_TRUE((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

TEST(OpenTables, HoldTheSameRowsHoweverTheyWereHandedOver) {
  for (const std::int64_t most : {30, 1024, 5000, 9000}) {
    const std::string file = recording(test_seed(), most);
    const auto read = read_recording(as_bytes(file));
    for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 30}) {
      const auto opened = open_recording_bytes(file, {.memory_bytes = memory});
      ASSERT_NE(opened->store(), nullptr);
      EXPECT_EQ(opened->store()->stats().loads, 0u) << "opening loads no block";
      ASSERT_EQ(rows_text(*opened), rows_text(*read)) << most;
      EXPECT_GE(opened->store()->stats().loads, 4u)
          << "ops, flows, dependencies and allocations: at least one block each";
    }
  }
}

template <typename Row, typename Ask>
void expect_same(const Trace& a, const Trace& b, Ask ask) {
  std::vector<Row> of_a, of_b;
  ASSERT_EQ(ask(a, of_a), ask(b, of_b));
  ASSERT_EQ(of_a, of_b);
}

TEST(OpenTables, AnswerEveryQuestionAlike) {
  const std::string file = recording(test_seed(), 500);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file, {.memory_bytes = 200'000});
  ASSERT_NE(opened->store(), nullptr);
  Random random;
  const std::int64_t end_ns = ns_from(read->watermark());
  for (int i = 0; i < 200; ++i) {
    const OpId op{static_cast<std::uint64_t>(random.integer(0, kOps + 5))};
    ASSERT_EQ(opened->op(op), read->op(op));
    expect_same<Flow>(*opened, *read, [&](const Trace& t, auto& out) { return t.flows_of_op(op, 5, out); });
    expect_same<Dependency>(*opened, *read,
                            [&](const Trace& t, auto& out) { return t.dependencies_of(op, 5, out); });
    expect_same<Dependency>(*opened, *read,
                            [&](const Trace& t, auto& out) { return t.dependents_of(op, 5, out); });
    const Timestamp t = timestamp_from_ns(random.integer(0, end_ns));
    const TimeRange range{t, t + Duration{random.magnitude(1'000'000)}};
    ASSERT_EQ(opened->ops_ended_in(range), read->ops_ended_in(range));
    expect_same<OpRow>(*opened, *read,
                       [&](const Trace& trace, auto& out) { return trace.ops_in_flight_at(t, 50, out); });
    expect_same<Flow>(*opened, *read, [&](const Trace& trace, auto& out) {
      return trace.flows_touching(TrackId{1}, range, 20, out);
    });
  }
}

TEST(OpenTables, ADamagedPieceIsCountedAndEmpty) {
  std::string file = recording(test_seed(), 9000);
  const auto index = read_recording_index(as_bytes(file));
  const auto ops = std::find_if(index->blocks.begin(), index->blocks.end(), [](const IndexEntry& e) {
    return e.kind == BlockKind::kOps && e.rows.rows > 2000;
  });
  if (ops == index->blocks.end()) GTEST_SKIP() << "this seed makes no large batch";
  file[static_cast<std::size_t>(ops->offset) + 100] ^= 1;
  const auto opened = open_recording_bytes(file);
  ASSERT_NE(opened->store(), nullptr);
  std::uint64_t none = 0;
  for (std::uint64_t i = 0; i < opened->op_count(); ++i) none += opened->op_row(i) == OpRow{} ? 1 : 0;
  EXPECT_EQ(opened->op_count(), static_cast<std::uint64_t>(kOps));
  EXPECT_EQ(none, ops->rows.rows / 1024 * 1024);
  EXPECT_EQ(opened->losses().of(LossCause::kFileUnreadable), ops->rows.rows / 1024);
}

}  // namespace
}  // namespace runahead::recordings
