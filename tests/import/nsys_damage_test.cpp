// Tests SQLite files that are damaged, hostile or of other programs: one line says what is wrong, or the rows
// before the damage are shown. Nothing crashes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "instrumentation/import/foreign_file.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/import/sqlite/sqlite_import.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "tests/import/import_support.h"
#include "tests/import/nsys_files.h"
#include "tests/import/sqlite_trace.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sqlite_bytes.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

void expect_in(const std::string& message, std::string_view part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

// An export with 400 calls and kernels, which fill several pages.
std::string nsys_with_many_rows() {
  return sqlite_bytes(std::string(kNsys2024) + R"sql(
    INSERT INTO StringIds VALUES (1, 'gemm'), (3, 'cudaLaunchKernel_v7000');
    WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 400)
      INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 100, i * 100 + 10, 0, 1862270976 + 112, i, 3, 0, NULL FROM numbers;
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 20, start + 90, 0, 1, 0, 7, correlationId, 1862270976, 1, 1, NULL,
      32, 1, 1, 1, 1, 1, 1, 0, 0, NULL FROM CUPTI_ACTIVITY_KIND_RUNTIME;
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT start + 3, start + 9, 0, 1, 0, 7, correlationId, 1862270976, NULL,
      3, 4294967295, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
    INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) SELECT start, start + 95, 59, 'step ' || start, globalTid
      FROM CUPTI_ACTIVITY_KIND_RUNTIME;)sql");
}

TEST(NsysDamage, AFileOnDiskOpensWhateverItsName) {
  const ScratchFolder folder;
  write_file(folder / "a %?#b.bin", nsys_with_many_rows());
  const Result<Trace> trace = load_any(folder / "a %?#b.bin");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->counts().slices, 1600u);
  EXPECT_EQ(trace->flow_count(), 400u);
  EXPECT_TRUE(trace->losses().none());
}

TEST(NsysDamage, ACancelledImportSaysSo) {
  const ScratchFolder folder;
  write_file(folder / "a.sqlite", sqlite_bytes(std::string(kNsys2024) + R"sql(
    WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 200000)
      INSERT INTO OSRT_API SELECT i, i + 1, 0, 0, 0, 0, 0 FROM numbers;)sql"));
  double last = 0;
  const Result<Trace> whole = load_any(folder / "a.sqlite", [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    return true;
  });
  EXPECT_TRUE(whole.ok());
  EXPECT_GT(last, 0);
  for (const double stop : {0.0, 0.5}) {
    const Result<Trace> trace = load_any(folder / "a.sqlite", [&](double done) { return done < stop; });
    ASSERT_FALSE(trace.ok());
    expect_in(trace.error().message, "cancelled");
  }
}

TEST(NsysDamage, ACutOffFileSaysHowMuchIsMissing) {
  const std::string whole = nsys_with_many_rows();
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{1024}, std::size_t{100}})
    expect_in(sqlite_refusal(whole.substr(0, size)), "is cut off: it has " + std::to_string(size) + " of");
  expect_in(sqlite_refusal(whole.substr(0, 60)), "is cut off in its header");
  const ScratchFolder folder;
  write_file(folder / "a.sqlite", std::string_view(whole).substr(0, 5000));
  const Result<Trace> trace = load_any(folder / "a.sqlite");
  ASSERT_FALSE(trace.ok());
  expect_in(trace.error().message, "export it again (for Nsight Systems: nsys export --type sqlite FILE)");
}

TEST(NsysDamage, ADatabaseOfAnotherProgramIsRefused) {
  expect_in(sqlite_refusal(sqlite_bytes("CREATE TABLE people (name TEXT)")),
            "is a SQLite database of a program that this version does not know");
  expect_in(sqlite_refusal(std::string(kSqliteMagic) + std::string(2000, '\0')), "cannot be read");
}

TEST(NsysDamage, AWriteAheadLogIsRefusedBecauseItMayHoldAPart) {
  std::string bytes = nsys_with_many_rows();
  bytes[18] = bytes[19] = 2;
  expect_in(sqlite_refusal(bytes), "PRAGMA journal_mode=DELETE");
}

TEST(NsysDamage, ADamagedPageCostsOnlyTheRowsAfterIt) {
  std::string bytes = nsys_with_many_rows();
  const std::size_t at = bytes.rfind("step 20000");  // a page in the middle of NVTX_EVENTS
  ASSERT_NE(at, std::string::npos);
  const std::size_t page = at / 1024 * 1024;
  bytes.replace(page, 1024, std::string(1024, '\xee'));
  const Result<Trace> trace = read_sqlite(bytes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_GT(trace->counts().slices, 1200u);
  EXPECT_LT(trace->counts().slices, 1600u);
  EXPECT_EQ(trace->losses().of(LossCause::kImportBroken), 1u);
  EXPECT_TRUE(trace->metadata().contains("import.damaged.NVTX_EVENTS"));
}

TEST(NsysDamage, AnUnsortedDamagedTableShowsTheRowsBeforeTheDamage) {
  std::string bytes = sqlite_bytes(std::string(kNsys2024) + R"sql(
    WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 400)
      INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
        SELECT 100000 - i * 100, 100000 - i * 100 + 50, 59, 'step ' || i, 0 FROM numbers;)sql");
  const std::size_t page = bytes.rfind("step 200") / 1024 * 1024;
  bytes.replace(page, 1024, std::string(1024, '\xee'));
  const Result<Trace> trace = read_sqlite(bytes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_GT(trace->counts().slices, 100u);
  EXPECT_LT(trace->counts().slices, 200u);
}

TEST(NsysDamage, AHostileSchemaDoesNoHarm) {
  const std::string trigger = std::string(kNsys2024) + R"sql(
    CREATE TRIGGER t AFTER INSERT ON OSRT_API BEGIN SELECT 1; END;
    INSERT INTO OSRT_API VALUES (1000, 1100, 27, 0, NULL, 7, 0);
    DROP TABLE CUBLAS_EVENTS;
    CREATE TABLE CUBLAS_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER,
      nameId INTEGER GENERATED ALWAYS AS (length(hex(zeroblob(100000000)))));
    INSERT INTO CUBLAS_EVENTS VALUES (5, 6, 7);
    CREATE TABLE "odd "" name" (start INTEGER);
    INSERT INTO "odd "" name" VALUES (1);)sql";
  const Result<Trace> trace = read_sqlite(sqlite_bytes(trigger));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(skipped_kinds(trace->metadata()).size(), 2u);
}

TEST(NsysDamage, ChangedBytesNeverBreakTheImport) {
  Random random;
  const std::string whole = nsys_with_many_rows();
  std::uint64_t opened = 0;
  for (int round = 0; round < rounds(300); ++round) {
    const Result<Trace> trace = read_sqlite(with_changed_bytes(whole, random));
    if (!trace) {
      EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
      continue;
    }
    ++opened;
    EXPECT_FALSE(trace_text(*trace).empty());
  }
  EXPECT_GT(opened, 0u);
}

}  // namespace
}  // namespace runahead::importers
