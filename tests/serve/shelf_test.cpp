#include "gui/serve/shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using runahead::testing::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void write_trace(const std::filesystem::path& path) {
  std::ofstream(path)
      << R"({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"}]})";
}

std::vector<std::string> names(Shelf& shelf) {
  std::vector<std::string> out;
  for (const ShelfEntry& entry : shelf.list().entries)
    out.push_back(std::to_string(entry.number) + " " + entry.name);
  return out;
}

class ShelfTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Shelf> shelf_of(const std::vector<std::filesystem::path>& paths) {
    auto shelf = Shelf::open(paths, {});
    EXPECT_TRUE(shelf) << (shelf ? "" : shelf.error().message);
    return shelf ? std::move(*shelf) : nullptr;
  }
  ScratchFolder folder_;
};

TEST_F(ShelfTest, AFolderShowsItsTracesAndThoseBelowAndNothingElse) {
  std::filesystem::create_directories(folder_ / "in/below");
  write_trace(folder_ / "outside.json");
  write_trace(folder_ / "in/b.json");
  write_trace(folder_ / "in/a.json");
  write_trace(folder_ / "in/.hidden.json");
  write_trace(folder_ / "in/below/c.json");
  std::ofstream(folder_ / "in/notes.txt") << "no trace";
  std::filesystem::create_symlink(folder_ / "outside.json", folder_ / "in/link.json");
  const auto shelf = shelf_of({folder_ / "in"});
  ASSERT_TRUE(shelf);
  EXPECT_THAT(names(*shelf), ElementsAre("0 a.json", "1 b.json", "2 below/c.json"));
  write_trace(folder_ / "in/aa.json");  // a new file gets a new number
  EXPECT_THAT(names(*shelf), ElementsAre("0 a.json", "1 b.json", "2 below/c.json", "3 aa.json"));
}

TEST_F(ShelfTest, AFileThatBecomesALinkIsNotFollowed) {
  std::filesystem::create_directories(folder_ / "in");
  write_trace(folder_ / "outside.json");
  write_trace(folder_ / "in/a.json");
  const auto shelf = shelf_of({folder_ / "in"});
  ASSERT_TRUE(shelf);
  EXPECT_TRUE(shelf->state(0));
  std::filesystem::remove(folder_ / "in/a.json");
  std::filesystem::create_symlink(folder_ / "outside.json", folder_ / "in/a.json");
  EXPECT_FALSE(shelf->state(0));
  EXPECT_FALSE(shelf->recording(0));
  EXPECT_FALSE(shelf->page(0));
  EXPECT_FALSE(shelf->state(1));
  EXPECT_TRUE(names(*shelf).empty());
}

TEST_F(ShelfTest, AFolderThatBecomesALinkIsNotFollowed) {
  std::filesystem::create_directories(folder_ / "in/below");
  std::filesystem::create_directories(folder_ / "outside");
  write_trace(folder_ / "in/below/a.json");
  write_trace(folder_ / "outside/a.json");
  const auto shelf = shelf_of({folder_ / "in"});
  ASSERT_TRUE(shelf);
  EXPECT_TRUE(shelf->state(0));
  std::filesystem::rename(folder_ / "in/below", folder_ / "moved");
  std::filesystem::create_directory_symlink(folder_ / "outside", folder_ / "in/below");
  EXPECT_FALSE(shelf->state(0));
  EXPECT_FALSE(shelf->growth(0, 0, 0));
  EXPECT_TRUE(names(*shelf).empty());
}

TEST_F(ShelfTest, FoldersThatAreTooDeepAreCounted) {
  std::filesystem::create_directories(folder_ / "1/2/3/4/5/6");
  std::filesystem::create_directories(folder_ / "1/2/3/4/other");
  std::filesystem::create_directories(folder_ / ".hidden/in");
  write_trace(folder_ / "1/2/3/4/a.json");
  write_trace(folder_ / "1/2/3/4/5/b.json");
  write_trace(folder_ / ".hidden/in/c.json");
  const auto shelf = shelf_of({folder_.path()});
  ASSERT_TRUE(shelf);
  const ShelfList list = shelf->list();
  ASSERT_EQ(list.entries.size(), 1u);
  EXPECT_EQ(list.entries[0].name, "1/2/3/4/a.json");
  EXPECT_EQ(list.deeper_folders, 2u);
  EXPECT_FALSE(list.more_files);
}

TEST_F(ShelfTest, TwoFoldersAreToldApartByTheirNames) {
  for (const char* folder : {"x", "y"}) {
    std::filesystem::create_directories(folder_ / folder);
    write_trace(folder_ / folder / "a.json");
  }
  const auto shelf = shelf_of({folder_ / "x", folder_ / "y"});
  ASSERT_TRUE(shelf);
  EXPECT_THAT(names(*shelf), ElementsAre("0 x/a.json", "1 y/a.json"));
}

TEST_F(ShelfTest, WhatIsNoTraceIsRefusedByName) {
  std::ofstream(folder_ / "notes.txt") << "no trace";
  for (const char* name : {"notes.txt", "missing.json"}) {
    const auto shelf = Shelf::open({folder_ / name}, {});
    ASSERT_FALSE(shelf);
    EXPECT_THAT(shelf.error().message, HasSubstr(name));
  }
}

TEST_F(ShelfTest, ARecordingIsMadeAgainWhenTheFileHasChanged) {
  write_trace(folder_ / "a.json");
  const auto shelf = shelf_of({folder_ / "a.json"});
  ASSERT_TRUE(shelf);
  const auto first = shelf->recording(0);
  ASSERT_TRUE(first) << first.error().message;
  const std::string version = shelf->state(0)->version;
  std::ofstream(folder_ / "a.json")
      << R"({"traceEvents": [)"
      << R"({"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"},)"
      << R"({"ph": "X", "pid": 1, "tid": 1, "ts": 9, "dur": 2, "name": "another"}]})";
  EXPECT_NE(shelf->state(0)->version, version);
  const auto second = shelf->recording(0);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_GT(second->size, first->size);
}

}  // namespace
}  // namespace runahead::gui
