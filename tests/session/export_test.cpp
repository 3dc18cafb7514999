#include "gui/session/export.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace runahead::gui {
namespace {

TEST(Export, TheNameSaysTheFormat) {
  EXPECT_EQ(*format_of_name("a.runahead"), FileFormat::kRecording);
  EXPECT_EQ(*format_of_name("dir.csv/a.json"), FileFormat::kChromeJson);
  EXPECT_EQ(*format_of_name("a.json.gz"), FileFormat::kChromeJson);
  EXPECT_EQ(*format_of_name("a.csv"), FileFormat::kCsv);
  EXPECT_EQ(*format_of_name("a.pftrace"), FileFormat::kPerfetto);
  EXPECT_EQ(*format_of_name("a.pftrace.gz"), FileFormat::kPerfetto);
}

TEST(Export, ANameWithoutAFormatIsRefusedAndNamed) {
  const Result<FileFormat> format = format_of_name("trace.txt");
  ASSERT_FALSE(format.ok());
  EXPECT_NE(format.error().message.find("trace.txt"), std::string::npos);
  EXPECT_NE(format.error().message.find(".json"), std::string::npos);
}

TEST(Export, AnUnknownWordIsRefusedWithThoseThatThereAre) {
  const Result<FileFormat> format = format_of_word("tracy");
  ASSERT_FALSE(format.ok());
  EXPECT_NE(format.error().message.find("'tracy'"), std::string::npos);
  EXPECT_NE(format.error().message.find("chrome"), std::string::npos);
}

// A build without protozero cannot write Perfetto traces. Its error message says what to do.
TEST(Export, PerfettoIsWrittenOrRefusedWithAWayOn) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "export_test.pftrace";
  const trace::Trace trace;
  const Status written = write_trace(trace, path, FileFormat::kPerfetto);
  EXPECT_EQ(std::filesystem::exists(path), written.ok());
  if (!written) {
    EXPECT_NE(written.error().message.find("libprotozero-dev"), std::string::npos);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace runahead::gui
