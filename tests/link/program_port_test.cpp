// Tests the link between a program that records and its watchers: both ends are in this process.
#include "instrumentation/link/program_port.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "instrumentation/link/program_link.h"
#include "instrumentation/link/programs_folder.h"
#include "instrumentation/record/controls.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/random_batches.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::link {
namespace {

using namespace runahead::testing;
using recordings::RecordingWriter;

class ProgramPortTest : public ::testing::Test {
 protected:
  ProgramPortTest() {
    ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    writer_ = RecordingWriter::create(path_, {}, {.gather_bytes = 0}).value();
    static_cast<void>(writer_->write(source_.next()));
    auto port = ProgramPort::open({::getpid(), "program --fast", path_});
    EXPECT_TRUE(port.ok()) << port.error().message;
    port_ = std::move(port).value();
  }
  ~ProgramPortTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  // A connection that does not follow the rules of the link.
  [[nodiscard]] FileDescriptor raw_connection() const {
    const FileDescriptor folder = open_programs_folder().value();
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path(folder, ::getpid()).copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::string hello(kMostMessageBytes, '\0');
    EXPECT_GT(::recv(socket.get(), hello.data(), hello.size(), 0), 0);
    return socket;
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "a.runahead";
  RandomSource source_{test_seed()};
  std::unique_ptr<RecordingWriter> writer_;
  std::unique_ptr<ProgramPort> port_;
};

TEST_F(ProgramPortTest, AProgramIsFoundAndItsRecordingIsFollowed) {
  const std::vector<Program> programs = list_programs();
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].pid, ::getpid());
  EXPECT_EQ(programs[0].command, "program --fast");
  EXPECT_EQ(programs[0].recording, path_);
  auto link = ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok()) << link.error().message;
  std::filesystem::remove(path_);
  auto follower = (*link)->follow();
  ASSERT_TRUE(follower.ok()) << "the file has no name any more, but it is open: " << follower.error().message;
  ASSERT_TRUE(writer_->write(source_.next()).ok());
  ASSERT_TRUE(writer_->finish().ok());
  ASSERT_TRUE((*follower)->poll().ok());
  EXPECT_TRUE((*follower)->ended());
  EXPECT_TRUE((*follower)->reader().ended());
}

TEST_F(ProgramPortTest, TheSocketIsForItsUserOnlyAndGoesWithThePort) {
  struct stat facts {};
  const std::filesystem::path socket = programs_folder() / socket_name(::getpid());
  ASSERT_EQ(::stat(socket.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(programs_folder().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
  port_.reset();
  EXPECT_FALSE(std::filesystem::exists(socket));
  EXPECT_TRUE(list_programs().empty());
  const auto link = ProgramLink::connect(::getpid());
  ASSERT_FALSE(link.ok());
  EXPECT_NE(link.error().message.find("does not record"), std::string::npos) << link.error().message;
}

// A bridge to another machine answers for a program there.
TEST_F(ProgramPortTest, TheOwnerMayAnswerInsteadOfThisProcess) {
  EXPECT_EQ(ProgramLink::connect(::getpid()).value()->broken_host().value(), "");
  port_.reset();
  port_ = ProgramPort::open({::getpid(), "program on host", path_, -5, 3}, {},
                            [](const std::string& words) -> std::optional<std::string> {
                              if (words == "link") return "broken\thost";
                              if (words == "list") return "rate\t2\tnumber\t1\t4\n\n";
                              return std::nullopt;
                            })
              .value();
  const std::unique_ptr<ProgramLink> program = ProgramLink::connect(::getpid()).value();
  EXPECT_EQ(program->program().clock_offset_ns, -5);
  EXPECT_EQ(program->program().clock_error_ns, 3);
  EXPECT_EQ(program->broken_host().value(), "host");
  EXPECT_EQ(program->controls().value().at(0).name, "rate");
  EXPECT_FALSE(program->set("rate", "3").ok());  // no answer: the connection ends
}

TEST_F(ProgramPortTest, AFolderThatOthersCanOpenIsRefused) {
  ::chmod(programs_folder().c_str(), 0755);
  EXPECT_TRUE(list_programs().empty());
  const auto link = ProgramLink::connect(::getpid());
  ASSERT_FALSE(link.ok());
  EXPECT_NE(link.error().message.find("chmod 700"), std::string::npos) << link.error().message;
  EXPECT_FALSE(ProgramPort::open({::getpid(), "", path_}).ok());
  ::chmod(programs_folder().c_str(), 0700);
}

TEST_F(ProgramPortTest, AWatcherSetsAControlWithinItsBounds) {
  const record::Control& bound = record::make_switch("port test: bound", {"none", "8", "64"}, 1);
  const record::Control& batch = record::make_number("port test: batch", 32, 1, 128);
  auto link = ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok());
  const auto controls = (*link)->controls();
  ASSERT_TRUE(controls.ok()) << controls.error().message;
  ASSERT_GE(controls->size(), 2u);
  const Control& first = (*controls)[controls->size() - 2];
  const Control& second = controls->back();
  EXPECT_EQ(first.name, "port test: bound");
  EXPECT_EQ(first.value, "8");
  EXPECT_EQ(first.choices, (std::vector<std::string>{"none", "8", "64"}));
  EXPECT_EQ(second.value, "32");
  EXPECT_EQ(second.least, 1);
  EXPECT_EQ(second.most, 128);
  EXPECT_TRUE((*link)->set("port test: bound", "64").ok());
  EXPECT_EQ(bound.value, 2);
  EXPECT_TRUE((*link)->set("port test: batch", "0.5e2").ok());
  EXPECT_EQ(batch.value, 50);
  const auto refused = [&](const std::string& name, const std::string& value, const std::string& why) {
    const Status set = (*link)->set(name, value);
    ASSERT_FALSE(set.ok()) << name << "=" << value;
    EXPECT_NE(set.error().message.find(why), std::string::npos) << set.error().message;
  };
  refused("port test: bound", "9", "one of: none, 8, 64");
  refused("port test: batch", "129", "a number from 1 to 128");
  refused("port test: batch", "nan", "a number from 1 to 128");
  refused("port test: nothing", "1", "no such control");
  EXPECT_EQ(bound.value, 2);
  EXPECT_EQ(batch.value, 50);
}

// A watcher that does not follow the rules loses its connection. The others keep theirs.
TEST_F(ProgramPortTest, AWatcherThatSendsNoiseIsDisconnected) {
  auto link = ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok());
  Random random(test_seed());
  for (int turn = 0; turn < 50; ++turn) {
    const FileDescriptor watcher = raw_connection();
    std::string noise(static_cast<std::size_t>(random.integer(1, 3 * 65536)), '\0');
    for (char& c : noise) c = static_cast<char>(random.integer(0, 255));
    ASSERT_GT(::send(watcher.get(), noise.data(), noise.size(), MSG_NOSIGNAL), 0);
    char byte = 0;
    EXPECT_LE(::recv(watcher.get(), &byte, 1, 0), 0) << "turn " << turn;
  }
  EXPECT_TRUE((*link)->controls().ok());
}

TEST_F(ProgramPortTest, AWatcherThatNeverReadsIsDisconnectedAndHoldsUpNobody) {
  static_cast<void>(record::make_switch("port test: long", {std::string(150, 'x')}, 0));
  const FileDescriptor watcher = raw_connection();
  while (::send(watcher.get(), "list", 4, MSG_NOSIGNAL) > 0) {
  }
  auto link = ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok());
  EXPECT_TRUE((*link)->controls().ok());
}

// While no descriptor is free, the port cannot accept. It tries again.
TEST_F(ProgramPortTest, AWatcherThatComesWhileNoDescriptorIsFreeIsGreetedLater) {
  const FileDescriptor folder = open_programs_folder().value();
  const FileDescriptor waiting(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path(folder, ::getpid()).copy(address.sun_path, sizeof address.sun_path - 1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;  // all descriptors from 3 on are refused; the open ones stay
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(::connect(waiting.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  char byte = 0;
  EXPECT_EQ(::recv(waiting.get(), &byte, 1, MSG_DONTWAIT), -1) << "nobody has accepted it";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(::recv(waiting.get(), &byte, 1, 0), 1) << "now it is greeted";
}

}  // namespace
}  // namespace runahead::link
