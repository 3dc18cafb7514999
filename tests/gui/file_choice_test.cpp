#include "gui/model/file_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using runahead::testing::ScratchFolder;

class FileChoice : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"b.runahead", "a.json", "notes.txt", ".hidden.json"})
      std::ofstream(folder_ / name) << "x";
    std::filesystem::create_directory(folder_ / "traces");
    std::ofstream(folder_ / "traces" / "deep.runahead") << "x";
  }
  static std::vector<std::string> names(const FileDialog& dialog) {
    std::vector<std::string> out;
    for (const FolderEntry& entry : dialog.entries) out.push_back(entry.name);
    return out;
  }
  ScratchFolder folder_;
};

TEST_F(FileChoice, OpeningListsFoldersFirstThenTracesByName) {
  const FileDialog dialog = open_file_dialog(FilePurpose::kOpen, folder_.path(), "");
  EXPECT_EQ(names(dialog), (std::vector<std::string>{"traces", "a.json", "b.runahead"}));
}

TEST_F(FileChoice, OpeningListsPythonScriptsButComparingDoesNot) {
  runahead::testing::write_file(folder_ / "train.py", "");
  const FileDialog opening = open_file_dialog(FilePurpose::kOpen, folder_.path(), "");
  EXPECT_EQ(names(opening), (std::vector<std::string>{"traces", "a.json", "b.runahead", "train.py"}));
  const FileDialog comparing = open_file_dialog(FilePurpose::kCompare, folder_.path(), "");
  EXPECT_EQ(names(comparing), (std::vector<std::string>{"traces", "a.json", "b.runahead"}));
}

TEST_F(FileChoice, SavingListsEveryFileButHiddenOnes) {
  const FileDialog dialog = open_file_dialog(FilePurpose::kSaveAs, folder_.path(), "x.runahead");
  EXPECT_EQ(names(dialog), (std::vector<std::string>{"traces", "a.json", "b.runahead", "notes.txt"}));
}

TEST_F(FileChoice, AFolderIsEnteredAndAFileInItTaken) {
  FileDialog dialog = open_file_dialog(FilePurpose::kOpen, folder_.path(), "traces");
  EXPECT_EQ(accept(dialog), std::nullopt);
  EXPECT_EQ(names(dialog), (std::vector<std::string>{"deep.runahead"}));
  dialog.name = "deep.runahead";
  EXPECT_EQ(accept(dialog), std::filesystem::weakly_canonical(folder_ / "traces" / "deep.runahead"));
}

TEST_F(FileChoice, AMissingFileIsNamedInsteadOfTaken) {
  FileDialog dialog = open_file_dialog(FilePurpose::kOpen, folder_.path(), "none.json");
  EXPECT_EQ(accept(dialog), std::nullopt);
  EXPECT_NE(dialog.problem.find("none.json"), std::string::npos);
}

TEST_F(FileChoice, ANameWithoutAnEndingIsSavedAsARecording) {
  FileDialog dialog = open_file_dialog(FilePurpose::kSaveAs, folder_.path(), "mine");
  EXPECT_EQ(accept(dialog)->filename(), "mine.runahead");
}

TEST_F(FileChoice, ATableIsSavedByCommasUnlessTabsAreAskedFor) {
  const auto saved_as = [&](const char* name) {
    FileDialog dialog = open_file_dialog(FilePurpose::kTable, folder_.path(), name);
    return accept(dialog)->filename();
  };
  EXPECT_EQ(saved_as("waits"), "waits.csv");
  EXPECT_EQ(saved_as("waits.tsv"), "waits.tsv");
  EXPECT_EQ(saved_as("waits.1"), "waits.1.csv");
}

TEST_F(FileChoice, WritingOverAFileIsAskedOnce) {
  FileDialog dialog = open_file_dialog(FilePurpose::kSaveAs, folder_.path(), "a.json");
  EXPECT_EQ(accept(dialog), std::nullopt);
  EXPECT_FALSE(dialog.problem.empty());
  EXPECT_EQ(accept(dialog)->filename(), "a.json");
}

TEST_F(FileChoice, SeveralTracesAreMarkedButNoFoldersAndScripts) {
  runahead::testing::write_file(folder_ / "train.py", "");
  FileDialog dialog =
      open_file_dialog(FilePurpose::kOpen, folder_.path(), "");  // traces/ a.json b.runahead train.py
  choose(dialog, 1);
  EXPECT_TRUE(marked_files(dialog).empty()) << "one file is no set";
  choose(dialog, 2, Choosing::kToggle);
  const std::vector<std::filesystem::path> both{dialog.folder / "a.json", dialog.folder / "b.runahead"};
  EXPECT_EQ(marked_files(dialog), both) << "the file that was chosen before is one of them";
  choose(dialog, 1, Choosing::kAdd);
  EXPECT_EQ(marked_files(dialog), both);
  choose(dialog, 2, Choosing::kToggle);
  EXPECT_TRUE(marked_files(dialog).empty());
  EXPECT_EQ(dialog.name, "a.json") << "the one that is left";
  choose(dialog, 2, Choosing::kAdd);
  choose(dialog, 0, Choosing::kAdd);
  EXPECT_TRUE(marked_files(dialog).empty()) << "a folder is chosen alone";
  choose(dialog, 1);
  choose(dialog, 3, Choosing::kToggle);
  EXPECT_TRUE(marked_files(dialog).empty()) << "a script is chosen alone";
  dialog = open_file_dialog(FilePurpose::kCompare, folder_.path(), "");
  choose(dialog, 1);
  choose(dialog, 2, Choosing::kAdd);
  EXPECT_TRUE(marked_files(dialog).empty()) << "one trace is compared";
}

TEST_F(FileChoice, DatabasesOfProfilersAreListed) {
  for (const char* name : {"x.sqlite", "y.rpd.gz", "z.db"}) runahead::testing::write_file(folder_ / name, "");
  const std::vector<std::string> listed = names(open_file_dialog(FilePurpose::kOpen, folder_.path(), ""));
  for (const char* name : {"x.sqlite", "y.rpd.gz", "z.db"})
    EXPECT_TRUE(std::ranges::count(listed, name)) << name;
}

TEST_F(FileChoice, AFolderThatCannotBeReadLeavesTheListAsItWas) {
  FileDialog dialog = open_file_dialog(FilePurpose::kOpen, folder_.path(), "");
  const std::vector<std::string> before = names(dialog);
  read_folder(dialog, folder_ / "nowhere");
  EXPECT_NE(dialog.problem.find("nowhere"), std::string::npos);
  EXPECT_EQ(names(dialog), before);
}

}  // namespace
}  // namespace runahead::gui
