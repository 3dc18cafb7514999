// Tests files of other profilers that cannot be opened yet: the error message is one line, which names the
// kind of file and says what to do.
#include "instrumentation/import/foreign_file.h"

#include <gtest/gtest.h>

#include <string>

#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sqlite_bytes.h"

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

TEST(ForeignFile, ADatabaseOfAnotherProgramIsRefused) {
  expect_says(message_of("a", sqlite_bytes("CREATE TABLE people (id INTEGER)")), "is a SQLite database",
              "export_chrome_trace");
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

}  // namespace
}  // namespace runahead::importers
