// Tests databases of ROCm's profilers that are damaged or compressed: the rows before the damage are shown,
// or one line says what is wrong. Nothing crashes.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/import/load_any.h"
#include "instrumentation/import/sqlite/sqlite_import.h"
#include "tests/import/import_support.h"
#include "tests/import/nsys_files.h"
#include "tests/import/rocm_files.h"
#include "tests/import/sqlite_trace.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sqlite_bytes.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

constexpr std::string_view kNumbers =
    "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 400) ";

// Files with 400 calls and 400 kernels, which fill several pages.
std::string rpd_with_many_rows() {
  const std::string numbers(kNumbers);
  return sqlite_bytes(
      std::string(kRpd2) + R"(
    INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'gemm'), (4, 'KernelExecution');)" +
      numbers + "INSERT INTO rocpd_api SELECT i, 111, 112, i * 100, i * 100 + 10, 2, 1 FROM numbers;" +
      numbers + "INSERT INTO rocpd_op SELECT i, 0, 0, 0, '', i * 100 + 20, i * 100 + 90, 3, 4 FROM numbers;" +
      numbers + "INSERT INTO rocpd_api_ops SELECT i, i, i FROM numbers;" + numbers +
      "INSERT INTO rocpd_kernelapi SELECT i, '0x0', i, 1, 1, 64, 1, 1, 0, 0, '', 3 FROM numbers;");
}

std::string rocpd_4_with_many_rows() {
  const std::string numbers(kNumbers);
  return sqlite_bytes(with_suffix(
      std::string(kRocpd4) + R"(
    INSERT INTO "rocpd_string$" (string) VALUES ('hipLaunchKernel');
    INSERT INTO "rocpd_info_kernel_symbol$" (display_name) VALUES ('gemm');
    INSERT INTO "rocpd_track$" (id, pid, tid) VALUES (1, 111, 112);
    INSERT INTO "rocpd_track$" (id, pid, agent_id, stream_id) VALUES (2, 111, 4, 7);)" +
          numbers + "INSERT INTO \"rocpd_timestamp$\" (id, value) SELECT i, i * 50 FROM numbers;" + numbers +
          "INSERT INTO \"rocpd_event$\" (id, stack_id, parent_stack_id) SELECT i, i, 0 FROM numbers;" +
          numbers +
          "INSERT INTO \"rocpd_region$\" (track_id, name_id, start_id, end_id, event_id) "
          "SELECT 1, 1, i, i + 1, i FROM numbers;" +
          numbers +
          "INSERT INTO \"rocpd_kernel_dispatch$\" (track_id, kernel_id, start_id, end_id, event_id) "
          "SELECT 2, 1, i, i + 1, i FROM numbers;",
      "_0199"));
}

void expect_one_line(const std::string& message, std::string_view part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(RocmDamage, UndamagedFilesLoseNothing) {
  const Result<Trace> rpd = read_sqlite(rpd_with_many_rows());
  ASSERT_TRUE(rpd.ok()) << rpd.error().message;
  EXPECT_EQ(rpd->counts().slices, 800u);
  EXPECT_EQ(rpd->flow_count(), 400u);
  EXPECT_TRUE(rpd->losses().none());
  const Result<Trace> rocpd = read_sqlite(rocpd_4_with_many_rows());
  ASSERT_TRUE(rocpd.ok()) << rocpd.error().message;
  EXPECT_EQ(rocpd->counts().slices, 800u);
  EXPECT_EQ(rocpd->flow_count(), 400u);
  EXPECT_EQ(rocpd->losses().of(LossCause::kUnfinishedSlice), 2u) << "the last rows have no end";
}

TEST(RocmDamage, ADamagedPageCostsOnlyTheRowsAfterIt) {
  std::string bytes = rpd_with_many_rows();
  const std::string whole = trace_text(*read_sqlite(bytes));
  std::uint64_t fewer = 0;
  for (std::size_t page = 2; page + 1 < bytes.size() / 1024; ++page) {
    std::string damaged = bytes;
    damaged.replace(page * 1024, 1024, std::string(1024, '\xee'));
    const Result<Trace> trace = read_sqlite(damaged);
    if (!trace) {
      EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
    } else if (trace->counts().slices < 800) {
      ++fewer;
      EXPECT_FALSE(trace->losses().none());
    }
  }
  EXPECT_GT(fewer, 10u);
}

TEST(RocmDamage, ADamagedTableOfTimesIsNoted) {
  std::string bytes = rocpd_4_with_many_rows();
  // The page of the table of times that has the last of its rows: (400, 20000).
  const std::size_t at = bytes.find(std::string("\x4e\x20", 2));
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at / 1024 * 1024, 1024, std::string(1024, '\xee'));
  const Result<Trace> trace = read_sqlite(bytes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_LT(trace->counts().slices, 800u);
  EXPECT_GT(trace->losses().of(LossCause::kImportBroken), 1u);
  EXPECT_TRUE(trace->metadata().contains("import.damaged.rocpd_timestamp_0199"));
}

constexpr std::size_t kPageBytes = 1024;

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < count; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
void set_page(std::string& bytes, std::size_t at, std::size_t page) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(page >> (24 - 8 * i) & 0xff);
}

// All children of each inner page of a table are now the next inner page. So a reader comes to the rows below
// the last one practically without end.
void share_children(std::string& bytes) {
  std::vector<std::size_t> inner;  // where these pages begin
  for (std::size_t page = kPageBytes; page < bytes.size(); page += kPageBytes)
    if (bytes[page] == 5) inner.push_back(page);
  ASSERT_GE(inner.size(), 5u);
  for (std::size_t i = 0; i + 1 < inner.size(); ++i) {
    const std::size_t next = inner[i + 1] / kPageBytes + 1;
    set_page(bytes, inner[i] + 8, next);
    for (std::uint32_t cell = 0; cell < big_endian(bytes, inner[i] + 3, 2); ++cell)
      set_page(bytes, inner[i] + big_endian(bytes, inner[i] + 12 + 2 * cell, 2), next);
  }
}

TEST(RocmDamage, RowsThatTheFileHasManyTimesComeToAnEnd) {
  std::string bytes = sqlite_bytes(
      std::string(kRpd2) +
      "INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel');"
      "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 20000) "
      "INSERT INTO rocpd_api SELECT i, 111, 112, i * 100, i * 100 + 10, 2, 1 FROM numbers;");
  ASSERT_EQ(read_sqlite(bytes)->counts().slices, 20'000u);
  share_children(bytes);
  const Result<Trace> trace = read_sqlite(bytes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_LT(trace->counts().slices, bytes.size());
  EXPECT_GT(trace->losses().of(LossCause::kImportBroken), 0u);
}

TEST(RocmDamage, ChangedBytesNeverBreakTheImport) {
  Random random;
  for (const std::string& whole : {rpd_with_many_rows(), rocpd_4_with_many_rows()}) {
    std::uint64_t opened = 0;
    for (int round = 0; round < rounds(200); ++round) {
      const Result<Trace> trace = read_sqlite(with_changed_bytes(whole, random));
      if (trace) {
        ++opened;
        EXPECT_FALSE(trace_text(*trace).empty());
      } else {
        EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
      }
    }
    EXPECT_GT(opened, 0u);
  }
}

// ---- files in gzip ----------------------------------------------------------------------------------------

#ifdef RUNAHEAD_HAVE_ZLIB
std::string gzip(const std::filesystem::path& path, std::string_view bytes) {
  const gzFile file = ::gzopen(path.c_str(), "wb");
  EXPECT_GT(::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), 0);
  ::gzclose(file);
  return file_bytes(path);
}

TEST(SqliteGzip, EveryKindOfDatabaseOpensInGzip) {
  const ScratchFolder folder;
  const std::string nsys =
      sqlite_bytes(std::string(kNsys2024) + "INSERT INTO OSRT_API VALUES (1, 2, 0, 0, 0, 0, 0);");
  gzip(folder / "a.gz", nsys);
  gzip(folder / "b.gz", rpd_with_many_rows());
  gzip(folder / "c.gz", rocpd_4_with_many_rows());
  for (const auto& [name, format] :
       {std::pair{"a.gz", "nsys sqlite, gzip"}, std::pair{"b.gz", "rpd sqlite, gzip"},
        std::pair{"c.gz", "rocpd sqlite, gzip"}}) {
    const Result<Trace> trace = load_any(folder / name);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_EQ(trace->metadata().at("format"), format);
    EXPECT_GT(trace->counts().slices, 0u);
  }
}

TEST(SqliteGzip, ACutOffOrForeignFileInGzipSaysSo) {
  const ScratchFolder folder;
  const std::string whole = gzip(folder / "a.rpd.gz", rpd_with_many_rows());
  write_file(folder / "b.rpd.gz", std::string_view(whole).substr(0, whole.size() / 2));
  const Result<Trace> cut = load_any(folder / "b.rpd.gz");
  ASSERT_FALSE(cut.ok());
  expect_one_line(cut.error().message, "compressed SQLite database that is cut off or damaged");
  gzip(folder / "c.gz", rpd_with_many_rows().substr(0, 3000));
  const Result<Trace> inner = load_any(folder / "c.gz");
  ASSERT_FALSE(inner.ok());
  expect_one_line(inner.error().message, "is cut off: it has 3000 of");
  gzip(folder / "d.gz", sqlite_bytes("CREATE TABLE people (id INTEGER)"));
  const Result<Trace> foreign = load_any(folder / "d.gz");
  ASSERT_FALSE(foreign.ok());
  expect_one_line(foreign.error().message, "of a program that this version does not know");
}

TEST(SqliteGzip, TheDecompressedFileIsRemoved) {
  const ScratchFolder folder, temporary;
  gzip(folder / "a.gz", rpd_with_many_rows());
  const char* const before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  const Result<Trace> trace = load_any(folder / "a.gz");
  const Result<Trace> cancelled = load_any(folder / "a.gz", [](double) { return false; });
  ::setenv("TMPDIR", (temporary.path() / "missing").c_str(), 1);
  const Result<Trace> nowhere = load_any(folder / "a.gz");
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
  EXPECT_TRUE(trace.ok());
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  ASSERT_FALSE(cancelled.ok());
  expect_one_line(cancelled.error().message, "cancelled");
  ASSERT_FALSE(nowhere.ok());
  expect_one_line(nowhere.error().message, "set TMPDIR");
}
#endif

}  // namespace
}  // namespace runahead::importers
