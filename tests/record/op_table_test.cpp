// Compares OpenOpTable with a map. Ops of several engines stay open for random times, short or long. Some ops
// are added after ops with larger numbers, and some numbers are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "instrumentation/record/open_op_table.h"
#include "tests/support/random.h"

namespace runahead::record {
namespace {

using runahead::testing::Random;

OpId id(std::uint64_t engine, std::uint64_t number) { return OpId{engine << 48 | number}; }

// Compares the ids in both directions: first() and after(), last() and before().
void expect_same(OpenOpTable& table, const std::map<OpId, std::int64_t>& model) {
  ASSERT_EQ(table.size(), model.size());
  auto forth = model.begin();
  for (OpEntry* entry = table.first(); entry != nullptr; entry = table.after(entry->row.id), ++forth) {
    ASSERT_NE(forth, model.end());
    ASSERT_EQ(entry->row.id, forth->first);
    ASSERT_EQ(entry->row.step, forth->second);
  }
  ASSERT_EQ(forth, model.end());
  auto back = model.rbegin();
  for (OpEntry* entry = table.last(); entry != nullptr; entry = table.before(entry->row.id), ++back) {
    ASSERT_NE(back, model.rend());
    ASSERT_EQ(entry->row.id, back->first);
  }
  ASSERT_EQ(back, model.rend());
}

TEST(OpenOpTable, IsTheMapThatItStandsFor) {
  Random random;
  OpenOpTable table;
  std::map<OpId, std::int64_t> model;
  std::map<std::uint64_t, std::uint64_t> next;  // next op number of each engine
  const auto add = [&](OpId op, std::int64_t step) {
    OpEntry& entry = table.find_or_add(op);
    EXPECT_EQ(entry.row.id, op);
    entry.row.step = step;
    model[op] = step;
  };
  for (std::int64_t round = 0; round < 60'000; ++round) {
    const auto engine = static_cast<std::uint64_t>(random.integer(1, 3));
    std::uint64_t& number = next[engine];
    const std::int64_t what = random.integer(0, 999);
    if (what < 2)
      number += static_cast<std::uint64_t>(random.integer(0, 1 << random.integer(1, 30)));  // lost ops
    if (what < 500) {
      add(id(engine, ++number), round);
    } else if (what < 510 && number > 0) {  // a late op
      add(id(engine, number - static_cast<std::uint64_t>(random.integer(
                                  0, static_cast<std::int64_t>(std::min<std::uint64_t>(number - 1, 5000))))),
          round);
    } else if (!model.empty()) {  // usually the oldest op ends, as in a queue
      auto ends = random.integer(0, 3) > 0
                      ? model.begin()
                      : model.lower_bound(id(engine, static_cast<std::uint64_t>(random.integer(
                                                         0, static_cast<std::int64_t>(number)))));
      // Some ops never end, while later ops end.
      if (ends == model.end() || op_number(ends->first) % 97 == 0) continue;
      OpEntry* const entry = table.find(ends->first);
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(entry->row.step, ends->second);
      table.erase(*entry);
      EXPECT_EQ(table.find(ends->first), nullptr);
      model.erase(ends);
    }
    if (round % 997 == 0) expect_same(table, model);
  }
  expect_same(table, model);
}

TEST(OpenOpTable, OneThatStaysOpenWhileAMillionPassItIsStillThere) {
  OpenOpTable table;
  table.find_or_add(id(1, 1)).row.step = 7;
  for (std::uint64_t number = 2; number < 1'000'000; ++number) {
    table.erase(table.find_or_add(id(1, number)));
  }
  EXPECT_EQ(table.size(), 1u);
  ASSERT_NE(table.find(id(1, 1)), nullptr);
  EXPECT_EQ(table.find(id(1, 1))->row.step, 7);
  EXPECT_EQ(table.first(), table.last());
}

TEST(OpenOpTable, ManyEnginesOneAfterTheOther) {
  OpenOpTable table;
  table.find_or_add(id(1, 5));
  for (std::uint64_t engine = 2; engine < 500; ++engine) {
    for (std::uint64_t number = 1; number < 4; ++number) table.find_or_add(id(engine, number));
    for (std::uint64_t number = 1; number < 4; ++number) table.erase(*table.find(id(engine, number)));
  }
  EXPECT_EQ(table.size(), 1u);
  EXPECT_NE(table.find(id(1, 5)), nullptr);
}

}  // namespace
}  // namespace runahead::record
