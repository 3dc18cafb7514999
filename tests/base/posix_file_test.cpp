// Tests posix_file: which existing files write_file() may replace, and which files exist after a failed
// write.
#include "instrumentation/base/posix_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace runahead {
namespace {

using testing::file_bytes;
using testing::ScratchFolder;

constexpr Destination kAll[]{Destination::kRecording, Destination::kChromeJson, Destination::kPerfetto,
                             Destination::kTable,     Destination::kPicture,    Destination::kReport,
                             Destination::kSettings,  Destination::kGraph};
const std::string kRecording = std::string(kRecordingMagic) + "and blocks",
                  kPng = "\x89PNG\r\n\x1a\nand more", kText = "years of work\n",
                  kJson = "\n {\"traceEvents\": []}", kOtherJson = "{\"name\": \"a package\"}",
                  kIni = "[section]\nkey=val\n", kTable = "a,b\n1,2\n",
                  kReport = std::string(kReportMagic) + "}", kGraph = std::string(kGraphMagic) + "\1",
                  kGzip = "\x1f\x8b\x08";
const std::string kPerfetto("\n\x04\x40\x01\x52\x00", 6);

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::size_t files_in(const ScratchFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

// Expects that the write is refused and that an existing file stays unchanged.
void expect_refused(Destination destination, const std::filesystem::path& path, const std::string& why) {
  const std::string before = std::filesystem::is_regular_file(path) ? file_bytes(path) : "";
  const Status written = write_file(destination, path, "new");
  ASSERT_FALSE(written.ok()) << path;
  EXPECT_NE(written.error().message.find(why), std::string::npos) << written.error().message;
  if (std::filesystem::is_regular_file(path)) {
    EXPECT_EQ(file_bytes(path), before);
  }
}

TEST(WriteFile, ANewFileAndAnEmptyOneAreWritten) {
  const ScratchFolder folder;
  for (const Destination destination : kAll) {
    put(folder / "empty", "");
    EXPECT_TRUE(write_file(destination, folder / "empty", "new").ok());
    EXPECT_TRUE(write_file(destination, folder / "none", "new").ok());
    EXPECT_EQ(file_bytes(folder / "empty") + file_bytes(folder / "none"), "newnew");
    std::filesystem::remove(folder / "none");
  }
}

TEST(WriteFile, NothingButARecordingReplacesARecording) {
  const ScratchFolder folder;
  for (const Destination destination : kAll) {
    put(folder / "a", kRecording);
    if (destination == Destination::kRecording) {
      EXPECT_TRUE(write_file(destination, folder / "a", "new").ok());
    } else {
      expect_refused(destination, folder / "a", "is a recording");
    }
  }
  EXPECT_EQ(files_in(folder), 1u);
}

// The kinds of files that each destination may replace. All other kinds are refused.
TEST(WriteFile, AFileReplacesItsOwnKindOnly) {
  const ScratchFolder folder;
  const std::pair<Destination, std::vector<std::string>> rules[]{
      {Destination::kRecording, {kRecording}},
      {Destination::kChromeJson, {kJson}},
      {Destination::kPerfetto, {kPerfetto}},
      {Destination::kTable, {kTable}},
      {Destination::kPicture, {kPng}},
      {Destination::kReport, {kReport}},
      {Destination::kSettings, {kText, kJson, kReport, kOtherJson, kIni, kTable}},
      {Destination::kGraph, {kGraph}},
  };
  for (const auto& [destination, own] : rules) {
    for (const std::string& there :
         {kRecording, kPng, kText, kJson, kReport, kGraph, kGzip, kPerfetto, kOtherJson, kIni, kTable}) {
      put(folder / "a.csv", there);
      if (std::ranges::count(own, there) != 0) {
        EXPECT_TRUE(write_file(destination, folder / "a.csv", "new").ok()) << there;
        EXPECT_EQ(file_bytes(folder / "a.csv"), "new");
      } else {
        expect_refused(destination, folder / "a.csv", "give another name");
      }
    }
  }
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(WriteFile, ATableReplacesNoFileOfAnotherName) {
  const ScratchFolder folder;
  put(folder / "main.cpp", kTable);
  expect_refused(Destination::kTable, folder / "main.cpp", "is not a table");
}

// With an Unpack function, the kind of a compressed file is the kind of its uncompressed content.
TEST(WriteFile, OfACompressedFileTheKindIsWhatIsInIt) {
  const ScratchFolder folder;
  for (const auto& [inside, destination] :
       {std::pair{kJson, Destination::kChromeJson}, std::pair{kPerfetto, Destination::kPerfetto}}) {
    for (const std::string& there : {kJson, kPerfetto, kRecording, kText, std::string()}) {
      put(folder / "a.gz", kGzip);
      const Unpack unpack = [&there](std::string_view) { return there; };
      EXPECT_EQ(check_destination(destination, folder / "a.gz", unpack).ok(), there == inside) << there;
    }
  }
}

TEST(WriteFile, ThePermissionsOfWhatItReplacesStay) {
  const ScratchFolder folder;
  put(folder / "a.csv", kTable);
  ASSERT_EQ(::chmod((folder / "a.csv").c_str(), 0640), 0);
  ASSERT_TRUE(write_file(Destination::kTable, folder / "a.csv", "new").ok());
  struct stat facts {};
  ASSERT_EQ(::stat((folder / "a.csv").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777u, 0640u);
}

TEST(WriteFile, WhatIsNoFileIsRefusedAndStays) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  for (const Destination destination : kAll) {
    expect_refused(destination, folder / "pipe", "not a regular file");
    expect_refused(destination, "/dev/null", "not a regular file");
    expect_refused(destination, folder / "folder", "is a directory");
    expect_refused(destination, folder / "none" / "a", "its folder does not exist");
    expect_refused(destination, "", "has no name");
  }
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(files_in(folder), 2u);
}

TEST(WriteFile, ALinkStaysAndTheFileThatItLeadsToIsWritten) {
  const ScratchFolder folder;
  put(folder / "text", kText);
  std::filesystem::create_symlink(folder / "text", folder / "link");
  expect_refused(Destination::kPicture, folder / "link", "is not a PNG");
  EXPECT_TRUE(write_file(Destination::kSettings, folder / "link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(file_bytes(folder / "text"), "new");
  EXPECT_TRUE(is_same_file(folder / "link", folder / "text"));
}

TEST(WriteFile, ALinkThatLeadsNowhereIsRefusedAndStays) {
  const ScratchFolder folder;
  std::filesystem::create_symlink(folder / "none", folder / "link");
  for (const Destination destination : kAll)
    expect_refused(destination, folder / "link", "is a link to a file");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(WriteFile, AFullDiskLeavesWhatWasThere) {
  const ScratchFolder folder;
  put(folder / "text", kText);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto usual = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Status written = write_file(Destination::kSettings, folder / "text", std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, usual);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("cannot write"), std::string::npos) << written.error().message;
  EXPECT_EQ(file_bytes(folder / "text"), kText);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(CheckWritable, LeavesNothing) {
  const ScratchFolder folder;
  EXPECT_TRUE(check_writable(Destination::kRecording, folder / "a").ok());
  EXPECT_FALSE(check_writable(Destination::kRecording, "/proc/a").ok());
  EXPECT_EQ(files_in(folder), 0u);
}

}  // namespace
}  // namespace runahead
