// Tests paths at which a recording cannot be created, or at which a later write fails.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "instrumentation/recording/recording.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

std::string refusal(const std::filesystem::path& path) {
  const auto writer = RecordingWriter::create(path, {});
  EXPECT_FALSE(writer.ok());
  const Status saved = save_recording(Trace{}, path);
  EXPECT_FALSE(saved.ok());
  if (writer.ok() || saved.ok()) return "";
  EXPECT_EQ(writer.error().message.find('\n'), std::string::npos);
  EXPECT_NE(saved.error().message.find(path.string()), std::string::npos) << saved.error().message;
  return writer.error().message;
}

// While this object exists, no file of this process grows beyond `bytes`. This simulates a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : ignored_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, ignored_);
  }

 private:
  rlimit before_{};
  sighandler_t ignored_;
};

// A tmpfs mounted in `folder`. The mount options give the size of the tmpfs. Only root can mount a tmpfs.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, const char* options, unsigned long flags = 0)
      : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

// Writes until a write fails. The file must then contain exactly the batches before the failure. The blocks
// of later batches are counted as lost.
void write_until_full(const std::filesystem::path& path) {
  RandomSource source(test_seed());
  auto writer = RecordingWriter::create(path, {}, {.gather_bytes = 0});
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  Trace written;
  int failures = 0;
  for (int i = 0; i < 2000 && failures == 0; ++i) {
    Batch batch = source.next();
    const Status status = (*writer)->write(batch);
    if (status.ok()) {
      written.append(std::move(batch));
      continue;
    }
    ++failures;
    EXPECT_NE(status.error().message.find("cannot write"), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().message.find(path.string()), std::string::npos);
  }
  ASSERT_EQ(failures, 1);
  EXPECT_EQ(std::filesystem::file_size(path), (*writer)->bytes_written());
  const std::uint64_t lost = (*writer)->blocks_lost();
  EXPECT_GT(lost, 0u);
  EXPECT_TRUE((*writer)->write(source.next()).ok()) << "reported once";
  EXPECT_EQ((*writer)->blocks_lost(), lost + 1);
  EXPECT_TRUE((*writer)->finish().ok());
  const auto loaded = load_recording(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_GE(loaded->counts().slices, written.counts().slices);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileUnknown), 0u);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileTruncated), 0u);
}

TEST(UnwritableRecording, AFileThatMayGrowNoMoreKeepsItsWholeBlocks) {
  const ScratchFolder folder;
  const FileSizeLimit limit(50'000);
  write_until_full(folder / "a.runahead");
}

TEST(UnwritableRecording, AFullDiskKeepsTheWholeBlocks) {
  const ScratchFolder folder;
  const SmallDisk disk(folder / "disk", "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "needs root and a tmpfs; AFileThatMayGrowNoMore covers the code";
  write_until_full(folder / "disk" / "a.runahead");
}

TEST(UnwritableRecording, AFullDiskLeavesNothingOfASavedTrace) {
  const ScratchFolder folder;
  RandomSource source(test_seed());
  Trace trace;
  for (int i = 0; i < 500; ++i) trace.append(source.next());
  const FileSizeLimit limit(20'000);
  const Status saved = save_recording(trace, folder / "a.runahead");
  ASSERT_FALSE(saved.ok());
  EXPECT_NE(saved.error().message.find("a.runahead'"), std::string::npos) << saved.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(UnwritableRecording, APlaceThatIsReadOnlyIsRefused) {
  const ScratchFolder folder;
  const SmallDisk disk(folder / "disk", "size=64k", MS_RDONLY);
  if (!disk.mounted() && ::geteuid() == 0)
    GTEST_SKIP() << "root without the right to mount: nothing is read-only";
  if (!disk.mounted()) std::filesystem::permissions(folder / "disk", std::filesystem::perms::owner_read);
  EXPECT_NE(refusal(folder / "disk" / "a.runahead").find("cannot"), std::string::npos);
}

TEST(UnwritableRecording, ADirectoryADeviceAndAMissingFolderAreRefused) {
  const ScratchFolder folder;
  EXPECT_NE(refusal(folder.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal("/dev/full").find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder / "no" / "such" / "a.runahead").find("folder does not exist"), std::string::npos);
  EXPECT_NE(refusal("").find("no name"), std::string::npos);
}

TEST(UnwritableRecording, AFileThatIsNoRecordingIsNotOverwritten) {
  const ScratchFolder folder;
  write_file(folder / "letter.txt", "Dear reader");
  EXPECT_NE(refusal(folder / "letter.txt").find("not a recording"), std::string::npos);
  EXPECT_EQ(file_bytes(folder / "letter.txt"), "Dear reader");
}

TEST(UnwritableRecording, ARecordingIsOverwrittenUnlessItIsBeingWritten) {
  const ScratchFolder folder;
  {
    auto first = RecordingWriter::create(folder / "a.runahead", {{"n", "1"}});
    ASSERT_TRUE(first.ok());
    const auto second = RecordingWriter::create(folder / "a.runahead", {{"n", "2"}});
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("another recorder"), std::string::npos);
  }
  { ASSERT_TRUE(RecordingWriter::create(folder / "a.runahead", {{"n", "3"}}).ok()); }
  EXPECT_EQ(load_recording(folder / "a.runahead")->metadata().at("n"), "3");
}

}  // namespace
}  // namespace runahead::recordings
