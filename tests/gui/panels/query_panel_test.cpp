// Tests the answers of the query panel, without a window.
#include "gui/panels/query/query_panel.h"

#include <gtest/gtest.h>

#include "gui/timeline/selection_facts.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class QueryTest : public AppCoreTest {
 protected:
  QueryPanel& query() { return core_.panels().get<QueryPanel>(); }
};

TEST_F(QueryTest, AQuestionIsAnsweredWhileTheRunGoesOn) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  query().ask("SELECT id, name FROM slice LIMIT 5");
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  const QueryAnswer answer = *query().answer();
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.columns, (std::vector<std::string>{"id", "name"}));
  ASSERT_EQ(answer.rows.size(), 5u);
  ASSERT_TRUE(answer.rows[2].slice);
  const std::optional<trace::Slice> slice = find_slice(core_.trace(), *answer.rows[2].slice);
  ASSERT_TRUE(slice);
  EXPECT_EQ(core_.trace().string(slice->name), answer.rows[2].cells[1]);
  EXPECT_EQ(answer.numeric, (std::vector<bool>{true, false}));
}

TEST_F(QueryTest, AQuestionThatNeverEndsIsCancelled) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  query().ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
  EXPECT_TRUE(query().running());
  query().cancel();
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  EXPECT_EQ(query().answer()->error, "cancelled");
  EXPECT_FALSE(query().running());
}

TEST_F(QueryTest, AnAnswerIsKeptToSoManyRows) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  query().ask(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n");
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  EXPECT_EQ(query().answer()->rows.size(), QueryRunner::kMostRows);
  EXPECT_TRUE(query().answer()->cut);
}

}  // namespace
}  // namespace runahead::gui
