// Tests a recording that is read while its writer still writes it.
#include "instrumentation/link/file_follower.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "instrumentation/recording/recording.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::link {
namespace {

using namespace runahead::testing;
using recordings::RecordingWriter;
using trace::LossCause;

// Polls until the follower has nothing more to read.
void read_all(FileFollower& follower) {
  do {
    const Result<bool> polled = follower.poll(1000);
    ASSERT_TRUE(polled.ok()) << polled.error().message;
  } while (follower.behind_bytes() > 0);
}

TEST(FileFollower, HasWhatTheWriterHasWrittenAndInTheEndAllOfIt) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "a.runahead";
  RandomSource source(test_seed(), rounds(3000, 1000));
  auto writer = RecordingWriter::create(path, {{"host", "here"}}, {.gather_bytes = 0});
  ASSERT_TRUE((*writer)->write(source.next()).ok());
  auto follower = FileFollower::open(path);
  ASSERT_TRUE(follower.ok()) << follower.error().message;
  EXPECT_TRUE(is_being_written(path));
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE((*writer)->write(source.next()).ok());
    read_all(**follower);
    EXPECT_FALSE((*follower)->ended());
    const auto until_now = recordings::load_recording(path);
    ASSERT_TRUE(until_now.ok());
    EXPECT_EQ((*follower)->reader().trace().counts().ops, until_now->counts().ops);
    EXPECT_EQ((*follower)->reader().trace().watermark(), until_now->watermark());
  }
  ASSERT_TRUE((*writer)->finish().ok());
  read_all(**follower);
  EXPECT_TRUE((*follower)->ended());
  EXPECT_FALSE(is_being_written(path));
  const auto whole = recordings::load_recording(path);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(rows_text((*follower)->reader().trace()), rows_text(*whole));
  EXPECT_EQ((*follower)->reader().trace().metadata(), whole->metadata());
  EXPECT_EQ((*follower)->poll().value(), false);
}

TEST(FileFollower, KeepsEverythingOfAWriterThatIsKilled) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "a.runahead";
  int written[2], go_on[2];
  ASSERT_EQ(::pipe(written), 0);
  ASSERT_EQ(::pipe(go_on), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RandomSource source(test_seed());
    auto writer = RecordingWriter::create(path, {}, {.gather_bytes = 0});
    for (int i = 0; i < 5; ++i) static_cast<void>((*writer)->write(source.next()));
    char byte = 'w';
    static_cast<void>(!::write(written[1], &byte, 1));
    static_cast<void>(!::read(go_on[0], &byte, 1));  // waits for SIGKILL
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(written[0], &byte, 1), 1);
  auto follower = FileFollower::open(path);
  ASSERT_TRUE(follower.ok()) << follower.error().message;
  read_all(**follower);
  EXPECT_FALSE((*follower)->ended());
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  read_all(**follower);
  EXPECT_TRUE((*follower)->ended());
  const auto whole = recordings::load_recording(path);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(rows_text((*follower)->reader().trace()), rows_text(*whole));
  EXPECT_EQ((*follower)->reader().trace().metadata().at("recording.ended"), "no");
  for (const int fd : {written[0], written[1], go_on[0], go_on[1]}) ::close(fd);
}

TEST(FileFollower, SaysWhyAFileCannotBeFollowed) {
  const ScratchFolder folder;
  EXPECT_FALSE(FileFollower::open(folder / "missing.runahead").ok());
  const std::filesystem::path text = folder / "a.txt";
  testing::write_file(text, "no recording, only some words\n");
  const auto refused = FileFollower::open(text);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is not a recording"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(is_being_written(text));
}

}  // namespace
}  // namespace runahead::link
