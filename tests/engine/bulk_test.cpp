// Tests bulks: groups of ops that the engine schedules as one op. Ops outside a bulk and waits must behave as
// they do without bulks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/engine/engine_fixture.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void in_another_thread(const std::function<void()>& call) { std::thread(call).join(); }

struct BulkTest : ::testing::Test {
  TestEngine e{{}};
  // Needs no lock: only ops of one device write it, one op after the other.
  std::vector<int> ran;

  OpHandle note(int number, std::vector<Var> reads, std::vector<Var> writes) {
    return e.op("note", std::move(reads), std::move(writes),
                [this, number](OpContext&) { ran.push_back(number); });
  }
};

TEST_F(BulkTest, MembersRunInOrderAsOneOp) {
  EXPECT_EQ(e.engine->set_bulk(3), 0);
  const Var x = e.var("x");
  for (int i = 0; i < 7; ++i) note(i, {}, {x});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  const EngineStats stats = e.engine->stats();
  EXPECT_EQ(stats.bulk_members, 7);
  EXPECT_EQ(stats.ops_enqueued, 3) << "two bulks of three members, and the rest at the wait";
  EXPECT_EQ(stats.ops_finished, 3);
  EXPECT_EQ(e.engine->version(x), 7u) << "each write counts";
  EXPECT_EQ(e.engine->set_bulk(0), 3);
}

TEST_F(BulkTest, WhatIsNotFullIsNotHandedOver) {
  e.engine->set_bulk(3);
  note(1, {}, {e.var()});
  note(2, {}, {e.var()});
  // The other thread is a frontend without bulks, because set_bulk() is for the calling thread only. Its op
  // runs on the same worker.
  in_another_thread([&] {
    const OpHandle other = note(3, {}, {e.var()});
    EXPECT_EQ(e.engine->stats().in_flight_bytes, 0);
    EXPECT_TRUE(e.engine->wait_op(other, kWait).ok());
  });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre(3, 1, 2)) << "enqueued last, handed over first";
}

TEST_F(BulkTest, AWaitOfAnotherFrontendHandsItOver) {
  e.engine->set_bulk(100);
  const Var x = e.var("x");
  note(1, {}, {x});
  in_another_thread([&] { EXPECT_TRUE(e.wait(x).ok()); });
  EXPECT_THAT(ran, ElementsAre(1));
  note(2, {}, {x});
  in_another_thread([&] { EXPECT_TRUE(e.wait_all().ok()); });
  EXPECT_THAT(ran, ElementsAre(1, 2));
  const OpHandle third = note(3, {}, {x});
  in_another_thread([&] { EXPECT_TRUE(e.engine->wait_op(third, kWait).ok()); });
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
  note(4, {}, {x});
  in_another_thread([&] { EXPECT_TRUE(e.engine->wait_in_flight(1, 0, kWait).ok()); });
  in_another_thread([&] {
    e.engine->set_run_ahead_bound(1, 0);
    // At most one op may be in flight. Therefore this enqueue blocks until the bulk with op 4 is done.
    note(5, {}, {e.var()});
    e.engine->set_run_ahead_bound(0, 0);
  });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(BulkTest, IsTheLastOpThatWritesWhatAMemberWrites) {
  runahead::testing::Capture capture;
  e.engine->set_bulk(100);
  const Var x = e.var("x");
  note(1, {}, {x});
  note(2, {}, {x});
  const OpId open = e.engine->last_write(x);
  EXPECT_NE(open, kNoOp);
  EXPECT_EQ(e.engine->stats().ops_finished, 0) << "the question does not close the bulk";
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_EQ(e.engine->last_write(x), open);
  EXPECT_TRUE(e.wait_all().ok());
  capture.settle();
  const auto row = capture.trace.op(open);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(capture.trace.string(row->name), "bulk of 2");
}

TEST_F(BulkTest, AStepEndsWithItsMembers) {
  e.engine->set_bulk(100);
  e.engine->begin_step(0);
  note(1, {}, {e.var()});
  e.engine->end_step();
  EXPECT_TRUE(e.engine->wait_step(0, kWait).ok());
  EXPECT_THAT(ran, ElementsAre(1));
}

TEST_F(BulkTest, AnotherFrontendsOpThatReadsAMembersOutputFollowsIt) {
  e.engine->set_bulk(100);
  const Var x = e.var("x"), y = e.var("y");
  note(1, {}, {x});
  in_another_thread([&] { note(2, {x}, {y}); });
  // Op 3 must not join the bulk of op 1. Otherwise the bulk would wait for op 2, and op 2 would wait for the
  // bulk: a deadlock.
  note(3, {y}, {});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST_F(BulkTest, AnOpThatDoesNotFitInHandsOverWhatCameBefore) {
  e.engine->set_bulk(100);
  const Var x = e.var("x");
  note(1, {}, {x});
  e.op("urgent", {x}, {}, [this](OpContext&) { ran.push_back(2); }, {.priority = 1});
  // Atomic, because another worker writes it.
  std::atomic<bool> copied{false};
  e.op("copy", {x}, {e.var()}, [&](OpContext&) { copied = true; }, {.stream = StreamKind::kCopyToHost});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_TRUE(copied);
  EXPECT_EQ(e.engine->stats().ops_enqueued, 3) << "no bulk has more than one member";
}

TEST_F(BulkTest, AMemberThatThrowsSkipsThoseAfterItAndPoisonsTheWhole) {
  e.engine->set_bulk(3);
  const Var x = e.var("x"), y = e.var("y"), z = e.var("z");
  note(1, {}, {x});
  e.op("bad", {}, {y}, [](OpContext&) { throw std::runtime_error("boom"); });
  note(3, {}, {z});
  e.engine->set_bulk(0);
  note(4, {x}, {});
  const std::string message = message_of(e.wait_all());
  EXPECT_THAT(message, HasSubstr("op 'bulk of 3' #1 failed: its member 'bad' failed: boom"));
  EXPECT_THAT(ran, ElementsAre(1));
  EXPECT_FALSE(e.engine->check(x).ok());
  EXPECT_EQ(e.engine->stats().ops_failed, 1);
  EXPECT_EQ(e.engine->stats().ops_skipped, 1) << "the op that reads x";
}

TEST_F(BulkTest, CancelledMembersDoNotRun) {
  Door door, started;
  e.op("blocked", {}, {}, [&](OpContext&) {
    started.open();
    door.wait();
  });
  started.wait();
  e.engine->set_bulk(2);
  note(1, {}, {e.var()});
  note(2, {}, {e.var()});
  note(3, {}, {e.var()});
  EXPECT_EQ(e.engine->cancel(), 2) << "a full bulk and an open one";
  door.open();
  EXPECT_FALSE(e.wait_all().ok());
  EXPECT_THAT(ran, ElementsAre());
}

TEST_F(BulkTest, AnEngineThatEndsDoesNotWaitForMembersToCome) {
  TestEngine other{{.bulk = 10}};
  std::atomic<int> destroyed{0};
  struct Counted {
    std::atomic<int>* count;
    explicit Counted(std::atomic<int>& counts) : count(&counts) {}
    Counted(Counted&& from) noexcept : count(std::exchange(from.count, nullptr)) {}
    ~Counted() {
      if (count != nullptr) ++*count;
    }
  };
  other.op("op", {}, {}, [counted = Counted(destroyed)](OpContext&) {});
  other.op("op", {}, {}, [counted = Counted(destroyed)](OpContext&) {});
  other.engine.reset();
  EXPECT_EQ(destroyed, 2);
}

TEST(NaiveBulk, EachOpRunsInItsEnqueueAllTheSame) {
  TestEngine e{{.kind = EngineKind::kNaive, .bulk = 10}};
  int ran = 0;
  e.op("op", {}, {}, [&](OpContext&) { ++ran; });
  EXPECT_EQ(ran, 1);
}

// ---- recordings of bulks ---------------------------------------------------------------------------------

struct RecordedBulk : ::testing::TestWithParam<const char*> {
  runahead::testing::Capture capture;
  void SetUp() override { record::name_thread(trace::TrackKind::kFrontend, "main"); }
};
INSTANTIATE_TEST_SUITE_P(Devices, RecordedBulk, ::testing::Values("cpu", "virtual:0"),
                         [](const auto& device) { return device.param[0] == 'c' ? "cpu" : "virtual"; });

TEST_P(RecordedBulk, MembersHaveTheirMomentsWithinTheBulks) {
  TestEngine e{{.bulk = 3}, GetParam()};
  const Var x = e.var("x");
  std::vector<OpId> ids(3, kNoOp);
  OpHandle bulk;
  for (int i = 0; i < 3; ++i) {
    bulk = e.op("member", {}, {x}, [&ids, i](OpContext& op) { ids[static_cast<std::size_t>(i)] = op.op(); },
                {.output_bytes = 8, .cost = {.flops = 1e6 * (i + 1)}});
  }
  EXPECT_TRUE(e.wait_all().ok());
  capture.settle();
  const std::optional<trace::OpRow> whole = capture.trace.op(bulk.id);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(capture.trace.string(whole->name), "bulk of 3");
  EXPECT_EQ(whole->output_bytes, 24);
  Timestamp before = whole->started;
  for (const OpId id : ids) {
    const std::optional<trace::OpRow> row = capture.trace.op(id);
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(capture.trace.string(row->name), "member");
    EXPECT_EQ(row->execute_track, whole->execute_track);
    EXPECT_LE(row->enqueued, whole->enqueued);
    EXPECT_GE(row->started, before);
    EXPECT_GE(row->ended, row->started);
    EXPECT_LE(row->ended, whole->ended);
    before = row->ended;
  }
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST_P(RecordedBulk, MembersOfOneThatWasSkippedAreSeenAsSkipped) {
  TestEngine e{{}, GetParam()};
  const Var x = e.var("x");
  e.op("bad", {}, {x}, [](OpContext&) { throw std::runtime_error("boom"); });
  e.engine->set_bulk(2);
  const OpHandle bulk = e.op("member", {x}, {}, [](OpContext&) {});
  e.op("member", {}, {}, [](OpContext&) {});
  EXPECT_FALSE(e.wait_all().ok());
  capture.settle();
  int skipped = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::optional<trace::OpRow> row = capture.trace.op(OpId{raw(bulk.id) + i});
    ASSERT_TRUE(row.has_value());
    if ((row->flags & trace::kSliceSkipped) != 0) ++skipped;
  }
  EXPECT_EQ(skipped, 3) << "the bulk and its two members";
}

}  // namespace
}  // namespace runahead::engine::test
