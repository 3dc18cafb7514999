// Tests files of other profilers that cannot be opened yet: the error message is one line, which names the
// kind of file and says what to do.
#include "instrumentation/import/foreign_file.h"

#include <gtest/gtest.h>

#include <string>

#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"
#include "tests/import/nsys_files.h"
#include "tests/support/scratch_folder.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::importers {
using namespace trace;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

std::string message_of(const std::string& name, std::string_view bytes) {
  const ScratchFolder folder;
  write_file(folder / name, bytes);
  const Result<Trace> trace = load_any(folder / name);
  EXPECT_FALSE(trace.ok());
  return trace ? "" : trace.error().message;
}

void expect_says(const std::string& message, std::string_view what, std::string_view to_do) {
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_NE(message.find(to_do), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

std::string database(std::string_view table) {
  return sqlite_bytes("CREATE TABLE " + std::string(table) + " (id INTEGER)");
}

TEST(ForeignFile, ADatabaseIsNamedByItsTables) {
  expect_says(message_of("a.db", database("rocpd_info_node_0000")), "rocpd database",
              "python3 -m rocpd convert -i FILE --output-format pftrace");
  expect_says(message_of("a.rpd", database("rocpd_api")), "rocmProfileData", "rpd2tracing.py");
  expect_says(message_of("a", database("people")), "is a SQLite database", "export_chrome_trace");
  expect_says(message_of("a", std::string("SQLite format 3\0", 16)), "is a SQLite database", "copy it again");
}

TEST(ForeignFile, AFileThatIsOnlyNamedAsADatabaseMayBeEncrypted) {
  expect_says(message_of("a.sqlite", "\x01\x02\x03"), "encrypted or damaged", "export it again");
}

TEST(ForeignFile, AReportOfNsightSystemsSaysHowToExportIt) {
  for (const char* name : {"a.nsys-rep", "a.qdrep", "a.qdstrm"})
    expect_says(message_of(name, std::string("\x01\x02\x03\xff", 4)), "report of Nsight Systems",
                "nsys export --type sqlite");
}

TEST(ForeignFile, WhatCanBeOpenedIsOpenedWhateverItsName) {
  const ScratchFolder folder;
  write_file(folder / "a.nsys-rep", R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}])");
  EXPECT_TRUE(load_any(folder / "a.nsys-rep").ok());
}

TEST(ForeignFile, AnUnknownFileAndAZipSayWhatTheyAre) {
  expect_says(message_of("a.bin", "\x01\x02\x03"), "is not a trace that can be opened", ".runahead");
  expect_says(message_of("a.zip", "PK\x03\x04"), "is a zip without a file in it", "zip");
}

#ifdef RUNAHEAD_HAVE_ZLIB
TEST(ForeignFile, ACompressedDatabaseIsSeenThroughItsCompression) {
  const ScratchFolder folder;
  const std::string bytes = database("rocpd_op");
  const gzFile file = ::gzopen((folder / "a.rpd.gz").c_str(), "wb");
  ASSERT_GT(::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), 0);
  ::gzclose(file);
  expect_says(message_of("a.rpd.gz", file_bytes(folder / "a.rpd.gz")), "rocmProfileData", "gunzip");
}
#endif

}  // namespace
}  // namespace runahead::importers
