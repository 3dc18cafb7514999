// Tests that every emitted event arrives at the trace. Random programs of zones run on several threads. The
// buffers are drained while the programs run.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/record/capture.h"
#include "tests/support/random.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::SliceKind;
using trace::TrackKind;

// An emitted zone: (depth, begin, end, name, op, bytes)
using Emitted =
    std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::string, std::uint64_t, std::int64_t>;

class ZoneProgram {
 public:
  ZoneProgram(const Capture& capture, std::uint64_t seed) : capture_(capture), random_(seed) {}

  void run(int length) {
    for (int i = 0; i < length; ++i) {
      now_ += random_.magnitude(5000);
      if (open_.empty() || (open_.size() < 12 && random_.chance(0.5))) {
        begin();
      } else if (random_.chance(0.1)) {
        enqueue();
      } else {
        end();
      }
      if (random_.chance(0.001)) std::this_thread::yield();
    }
    while (!open_.empty()) end();
    std::sort(emitted_.begin(), emitted_.end());
  }
  [[nodiscard]] const std::vector<Emitted>& emitted() const { return emitted_; }

 private:
  struct Open {
    std::int64_t begin;
    bool wait;
    Emitted row;
  };
  [[nodiscard]] std::uint64_t ticks() const { return capture_.ticks(Duration{now_}); }

  void begin() {
    const bool wait = random_.chance(0.2);
    const auto number = static_cast<std::uint64_t>(random_.integer(1, 1000));
    const std::string name = "site " + std::to_string(random_.integer(0, 9));
    const std::int64_t bytes = wait ? 0 : random_.magnitude(1 << 30);
    const Site& site = intern_site(name, wait ? SliceKind::kWait : SliceKind::kZone);
    wait ? wait_begin(site, ticks(), op(number)) : zone_begin(site, ticks(), op(number), bytes);
    open_.push_back({now_, wait, {static_cast<std::uint32_t>(open_.size()), now_, 0, name, number, bytes}});
  }
  void end() {
    Open open = open_.back();
    open_.pop_back();
    open.wait ? wait_end(ticks(), kNoOp) : zone_end(ticks());
    std::get<2>(open.row) = now_;
    emitted_.push_back(open.row);
  }
  void enqueue() {
    const std::uint64_t begin_ticks = ticks();
    const std::int64_t begin = now_;
    now_ += random_.magnitude(100);
    const auto number = next_op_++;
    op_enqueued({.site = &intern_site("op", SliceKind::kExecute), .op = op(number)}, begin_ticks, ticks());
    emitted_.push_back({static_cast<std::uint32_t>(open_.size()), begin, now_, "op", number, 0});
  }

  const Capture& capture_;
  Random random_;
  std::int64_t now_ = 1000;
  std::uint64_t next_op_ = 1;
  std::vector<Open> open_;
  std::vector<Emitted> emitted_;
};

std::vector<Emitted> arrived(const Capture& capture, const std::string& name) {
  std::vector<Emitted> rows;
  const trace::Track* const track = capture.track(name);
  if (track == nullptr) return rows;
  for (std::uint32_t depth = 0; depth < track->lanes.size(); ++depth) {
    const trace::Lane& lane = track->lanes[depth];
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = lane.slice(row);
      rows.push_back({depth, ns_from(slice.begin), ns_from(slice.end),
                      std::string(capture.trace.string(slice.name)), op_number(slice.op), slice.size_bytes});
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(RandomZones, WhatWasEmittedArrives) {
  Random random;
  for (int round = 0; round < 10; ++round) {
    CollectorOptions options;
    options.period = std::chrono::microseconds(500);
    Capture capture({}, options);
    std::vector<ZoneProgram> programs;
    for (int i = 0; i < 4; ++i)
      programs.emplace_back(capture, static_cast<std::uint64_t>(random.integer(0, INT64_MAX)));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      threads.emplace_back([&programs, i] {
        name_thread(TrackKind::kThread, "t" + std::to_string(i));
        programs[i].run(3000);
      });
    }
    for (std::thread& thread : threads) thread.join();
    capture.settle();
    EXPECT_TRUE(capture.trace.losses().none());
    for (std::size_t i = 0; i < programs.size(); ++i) {
      EXPECT_EQ(arrived(capture, "t" + std::to_string(i)), programs[i].emitted()) << "thread " << i;
    }
  }
}

TEST(RandomZones, WithBuffersTooSmallEveryZoneArrivesOrIsCounted) {
  Random random;
  for (int round = 0; round < 10; ++round) {
    Capture capture({.events_per_thread = 1024});
    constexpr std::uint64_t kZones = 20'000;
    std::thread producer([&] {
      name_thread(TrackKind::kThread, "t");
      for (std::uint64_t i = 0; i < kZones; ++i) {
        zone_begin(intern_site("z", SliceKind::kZone), capture.ticks(Duration{1000 + i * 20}));
        zone_end(capture.ticks(Duration{1010 + i * 20}));
      }
    });
    for (int i = 0; i < 20; ++i) {
      capture.settle();
      if (random.chance(0.5)) std::this_thread::yield();
    }
    producer.join();
    capture.settle();
    const std::uint64_t slices = capture.trace.counts().slices;
    const std::uint64_t unfinished = capture.lost(trace::LossCause::kUnfinishedSlice);
    // Each zone has two records, and each missing record is counted as lost. If only one record of a zone
    // arrives, it is counted as an unfinished slice or as an unmatched end.
    EXPECT_EQ(2 * kZones, 2 * (slices - unfinished) + unfinished +
                              capture.lost(trace::LossCause::kUnmatchedEnd) +
                              capture.lost(trace::LossCause::kBufferFull));
  }
}

}  // namespace
}  // namespace runahead::record
