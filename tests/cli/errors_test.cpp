// Tests failures on the command line: usage errors have exit code 2, other failures have exit code 1, and
// each failure prints one line.
#include <fstream>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

class WrongWordsTest : public ProgramTest {};
class RefusedTest : public ProgramTest {};

TEST_F(WrongWordsTest, AnUnknownCommandNamesThoseThatThereAre) {
  expect_failure(run({"frobnicate"}), 2, "unknown command 'frobnicate'");
  expect_failure(run({"frobnicate"}), 2, "screenshot");
}

TEST_F(WrongWordsTest, AnUnknownFlagIsNamed) {
  expect_failure(run({"run", "increment", "--frobnicate"}), 2, "--frobnicate");
  expect_failure(run({"--frobnicate"}), 2, "--frobnicate");
  expect_failure(run({"info", "a.runahead", "--csv"}), 2, "--csv");
}

TEST_F(WrongWordsTest, AWordTooManyIsNamed) { expect_failure(run({"list", "surplus"}), 2, "surplus"); }

TEST_F(WrongWordsTest, AMissingWordIsAskedFor) {
  expect_failure(run({"run"}), 2, "workload");
  expect_failure(run({"info"}), 2, "file");
  expect_failure(run({"export", "a.runahead"}), 2, "--output");
}

TEST_F(WrongWordsTest, AnUnknownWorkloadNamesThoseThatThereAre) {
  expect_failure(run({"run", "frobnicate", "--json"}), 2, "'frobnicate'");
  expect_failure(run({"run", "frobnicate"}), 2, "training_memory");
  expect_failure(run({"gui", "--workload", "frobnicate"}), 2, "'frobnicate'");
}

TEST_F(WrongWordsTest, AScheduleThatCannotBeKeptIsNamed) {
  const auto refused = [&](std::vector<std::string> words, const char* why) {
    words.insert(words.begin(), {"run", "training_memory"});
    expect_failure(run(words), 2, why);
  };
  refused({"--switch", "4s:item"}, "--switch needs --duration");
  refused({"--switch", "item", "--duration", "9s"}, "'item' is no TIME:POLICY");
  refused({"--switch", "x:item", "--duration", "9s"}, "--switch 'x:item'");
  refused({"--switch", "4s:frobnicate", "--duration", "9s"}, "'frobnicate'");
  refused({"--switch", "4s:item", "--switch", "4s:none", "--duration", "9s"},
          "not later than the one before");
  refused({"--switch", "9s:item", "--duration", "9s"}, "not before the end");
  refused({"--duration", "0"}, "--duration '0' is no time");
  refused({"--duration", "soon"}, "--duration");
}

TEST_F(WrongWordsTest, ALimitOrACapacityThatIsNoneIsNamed) {
  for (const std::string limit :
       {"5000", "ops", "ops:0", "ops:-1", "ops:1.5", "bytes:", "window:2", "none"}) {
    expect_failure(run({"run", "increment", "--limit", limit}), 2,
                   "--limit '" + limit + "': not ops:N or bytes:N");
  }
  expect_failure(run({"run", "increment", "--limit", ""}), 2, "--limit: its value is empty");
  for (const std::string option : {"--workers", "--copy-workers", "--blas-threads", "--bulk", "--repeat"}) {
    for (const std::string number : {"0x10", " 1", "1.5", "-1", "nan", "1e9"})
      expect_failure(run({"run", "increment", option, number}), 2,
                     option + ": '" + number + "': not a whole number");
  }
  for (const std::string capacity : {"0", "M", "-64M", "64MB", "1.5G"}) {
    expect_failure(run({"run", "increment", "--capacity", capacity}), 2, "--capacity '" + capacity + "'");
  }
}

TEST_F(WrongWordsTest, AnUnknownDeviceIsNamed) {
  expect_failure(run({"run", "increment", "--device", "gpu:7"}), 2, "gpu:7");
}

TEST_F(WrongWordsTest, AnUnknownBarrierIsNamed) {
  expect_failure(run({"run", "increment", "--barrier", "wall"}), 2, "wall");
  expect_failure(run({"run", "increment", "--barrier", "window:0"}), 2, "window");
  expect_failure(run({"run", "increment", "--barrier", "window:two"}), 2, "two");
}

TEST_F(WrongWordsTest, AnUnknownParameterIsNamed) {
  expect_failure(run({"run", "increment", "--set", "speed=9"}), 2, "speed");
}

TEST_F(WrongWordsTest, AParameterThatIsNoNumberOrOutOfItsRangeIsNamed) {
  expect_failure(run({"run", "increment", "--set", "steps=many"}), 2, "many");
  expect_failure(run({"run", "increment", "--set", "steps=-5"}), 2, "steps");
  expect_failure(run({"run", "increment", "--set", "steps"}), 2, "steps");
  expect_failure(run({"run", "increment", "--set", "=5"}), 2, "=5");
  expect_failure(run({"run", "increment", "--set", "size=huge"}), 2, "huge");
}

TEST_F(WrongWordsTest, AnUnparsableValueIsNamed) {
  expect_failure(run({"run", "increment", "--repeat", "often"}), 2, "often");
  expect_failure(run({"run", "increment", "--repeat", "0"}), 2, "--repeat");
  expect_failure(run({"run", "increment", "--workers", "0"}), 2, "--workers");
  expect_failure(run({"run", "increment", "--engine", "steam"}), 2, "steam");
  expect_failure(run({"run", "increment", "--alloc", "never"}), 2, "never");
  expect_failure(run({"run", "increment", "--order", "random"}), 2, "random");
  expect_failure(run({"gui", "--duration", "soon"}), 2, "soon");
  expect_failure(run({"screenshot", "a", "-o", "b.png", "--size", "big"}), 2, "big");
  expect_failure(run({"screenshot", "a", "-o", "b.png", "--range", "2s..1s"}), 2, "2s..1s");
  expect_failure(run({"gui", "--keep", "1.5G"}), 2, "--keep '1.5G'");
}

TEST_F(WrongWordsTest, AnUnknownFormatIsNamed) {
  expect_failure(run({"export", "a.runahead", "-o", "out.json", "--format", "tracy"}), 2, "'tracy'");
  expect_failure(run({"export", "a.runahead", "-o", "out.xyz"}), 2, "out.xyz");
}

TEST_F(WrongWordsTest, WordsThatExcludeEachOtherAreRefused) {
  expect_failure(run({"stats", "a.runahead", "--json", "--csv"}), 2, "--csv");
  expect_failure(run({"run", "increment", "--repeat", "2", "--record", path("a.runahead")}), 2, "--repeat");
}

TEST_F(WrongWordsTest, AreFoundBeforeAnyFileIsTouched) {
  expect_failure(run({"run", "frobnicate", "--record", path("a.runahead")}), 2, "frobnicate");
  expect_failure(run({"run", "increment", "--device", "gpu:7", "--record", path("a.runahead")}), 2, "gpu:7");
  EXPECT_FALSE(std::filesystem::exists(path("a.runahead")));
}

TEST_F(RefusedTest, AMissingFileIsNamed) {
  for (const std::string command : {"info", "stats"}) {
    expect_failure(run({command, path("missing.runahead")}), 1, "missing.runahead");
  }
  expect_failure(run({"query", path("missing.runahead"), "SELECT 1"}), 1, "missing.runahead");
  expect_failure(run({"export", path("missing.runahead"), "-o", path("out.json")}), 1, "missing.runahead");
  expect_failure(run({"screenshot", path("missing.runahead"), "-o", path("out.png")}), 1, "");
  EXPECT_FALSE(std::filesystem::exists(path("out.json")));
}

TEST_F(RefusedTest, ADirectoryIsNoTrace) {
  std::filesystem::create_directory(path("folder.runahead"));
  expect_failure(run({"info", path("folder.runahead"), "--json"}), 1, "folder.runahead");
  expect_failure(run({"info", path("folder.runahead")}), 1, "director");
}

TEST_F(RefusedTest, AFileThatIsNoTraceIsRefusedByItsContent) {
  std::ofstream(path("poem.runahead")) << "Of all the trees that grow so fair\n";
  expect_failure(run({"info", path("poem.runahead")}), 1, "poem.runahead");
  std::ofstream(path("empty.runahead")).close();
  expect_failure(run({"info", path("empty.runahead")}), 1, "empty.runahead");
}

TEST_F(RefusedTest, ARecordingIsRefusedWhereNothingCanBeWritten) {
  const auto record_to = [this](const std::string& file) {
    return run({"run", "increment", "--set", "steps=1", "--record", file});
  };
  expect_failure(record_to(path("no/such/folder/a.runahead")), 1, "no/such/folder/a.runahead");
  expect_failure(record_to("/proc/a.runahead"), 1, "/proc/a.runahead");  // even root cannot create it
  std::filesystem::create_directory(path("folder.runahead"));
  expect_failure(record_to(path("folder.runahead")), 1, "folder.runahead");
}

TEST_F(RefusedTest, AnExportIsRefusedWhereNothingCanBeWrittenAndLeavesNothing) {
  const std::string trace = recording();
  expect_failure(run({"export", trace, "-o", path("no/such/out.json")}), 1, "out.json");
  expect_failure(run({"export", trace, "-o", "/proc/out.csv"}), 1, "/proc/out.csv");
  expect_failure(run({"export", trace, "-o", trace, "--format", "chrome"}), 1, "the trace itself");
  expect_failure(run({"export", trace, "-o", path("no/such/out.pftrace")}), 1, "out.pftrace");
}

TEST_F(RefusedTest, ARecordingDoesNotReplaceAFileThatIsNone) {
  std::ofstream(path("thesis.txt")) << "years of work\n";
  expect_failure(run({"run", "increment", "--set", "steps=1", "--record", path("thesis.txt")}), 1,
                 "thesis.txt");
  EXPECT_EQ(std::filesystem::file_size(path("thesis.txt")), 14u);
}

TEST_F(RefusedTest, ADeviceThatIsKnownAndNotHereSaysWhy) {
  bool has_cuda = false;
  const nlohmann::json listed = run_json({"devices", "--json"});
  for (const nlohmann::json& device : listed.at("devices")) {
    has_cuda =
        has_cuda || (device.at("available") && device.at("name").get<std::string>().starts_with("cuda"));
  }
  if (has_cuda) GTEST_SKIP() << "there is a CUDA device here";
  for (const std::string device : {"cuda:0", "cuda:99"})
    expect_failure(run({"run", "increment", "--device", device}), 1, "device '" + device + "'");
  for (const std::string device : {"cuda:", "cuda:x", "cuda:-1", "cuda:0,preset=h100", "virtual:8"})
    expect_failure(run({"run", "increment", "--device", device}), 2, "unknown device '" + device + "'");
}

TEST_F(RefusedTest, ARunThatCannotStartLeavesTheRecordingThatItWouldReplace) {
  const std::string file = recording();
  const auto bytes = std::filesystem::file_size(file);
  for (const std::string device : {"cuda:99", "virtual:9"})
    EXPECT_NE(run({"run", "increment", "--device", device, "--record", file}).exit_code, 0);
  EXPECT_NE(run({"run", "increment", "--set", "steps=0", "--record", file}).exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(file), bytes);
}

TEST_F(RefusedTest, ARunThatMeetsItsCapacityEndsAndSaysWhoHoldsWhat) {
  for (const std::string device : {"cpu", "virtual:0"}) {
    const Ended ended = run({"run", "training_memory", "--device", device, "--capacity", "20M"});
    expect_failure(ended, 1, device + ": out of memory: ");
    expect_failure(ended, 1, "live of 20.0 MB capacity (");
    expect_failure(ended, 1, "most of it by ");
  }
}

// These tests limit the address space. Sanitizers need more address space than these limits.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_F(RefusedTest, ARunInTooLittleMemoryEndsWithOneLine) {
  for (const std::size_t kib : {420'000u, 500'000u, 600'000u, 900'000u}) {
    Options options;
    options.address_bytes = std::size_t{kib} << 10;
    for (const std::string device : {"cpu", "virtual:0"}) {
      SCOPED_TRACE(device + " in " + std::to_string(kib) + " KiB");
      expect_failure(run({"run", "training_memory", "--device", device, "--set", "batch=65536"}, options), 1,
                     "out of memory: ");
    }
  }
}

TEST_F(RefusedTest, TooLittleForTheLibrariesIsRefusedAtOnce) {
  for (const std::size_t kib : {150'000u, 200'000u}) {
    Options options;
    options.address_bytes = std::size_t{kib} << 10;
    SCOPED_TRACE(std::to_string(kib) + " KiB");
    expect_failure(run({"run", "training_memory"}, options), 1, "out of memory: ");
  }
}

#endif

TEST_F(RefusedTest, TheWindowNeedsADisplay) {
  Options options;
  options.unset = {"DISPLAY", "WAYLAND_DISPLAY"};
  expect_failure(run({"gui"}, options), 1, "");
  expect_failure(run({}, options), 1, "");
}

}  // namespace
}  // namespace runahead::gui::test
