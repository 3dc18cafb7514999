// Tests graph files: a graph is written as bytes and read back, and malformed bytes are refused with one
// line.
#include "engine/array/graph_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

SavedGraph small_graph() {
  GraphRecorder recorder;
  const Symbol x = recorder.input({2, 3});
  const Symbol weight = recorder.parameter("weight", {4, 3}), bias = recorder.parameter("bias", {4});
  const Symbol y = relu(dense(x, weight, bias));
  return {recorder.finish(y + y), {simple_values(12, 1), simple_values(4, 2)}};
}
std::uint64_t seed() {
  const char* asked = std::getenv("RUNAHEAD_TEST_SEED");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 20260101;
}
void expect_one_line(const Result<SavedGraph>& decoded) {
  ASSERT_FALSE(decoded.ok());
  EXPECT_FALSE(decoded.error().message.empty());
  EXPECT_EQ(decoded.error().message.find('\n'), std::string::npos);
}

TEST(GraphFile, WhatIsDecodedIsWhatWasEncoded) {
  const SavedGraph saved = small_graph();
  const Result<SavedGraph> again = decode_graph(encode_graph(saved));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->parameters, saved.parameters);
  EXPECT_EQ(again->graph.output, saved.graph.output);
  ASSERT_EQ(again->graph.nodes.size(), saved.graph.nodes.size());
  for (std::size_t i = 0; i < saved.graph.nodes.size(); ++i) {
    EXPECT_EQ(again->graph.nodes[i].op, saved.graph.nodes[i].op);
    EXPECT_EQ(again->graph.nodes[i].operands, saved.graph.nodes[i].operands);
    EXPECT_EQ(again->graph.nodes[i].shape, saved.graph.nodes[i].shape);
    EXPECT_EQ(again->graph.nodes[i].name, saved.graph.nodes[i].name);
  }
  EXPECT_EQ(encode_graph(*again), encode_graph(saved));
}

TEST(GraphFile, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = encode_graph(small_graph());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_one_line(decode_graph(std::span(bytes).first(size)));
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  expect_one_line(decode_graph(longer));
}

TEST(GraphFile, EveryFlippedBitIsRefused) {
  const std::vector<std::byte> bytes = encode_graph(small_graph());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= static_cast<std::byte>(1 << bit);
      expect_one_line(decode_graph(changed));
    }
  }
}

// Sets the size and the checksum that the format demands. Otherwise the decoder would refuse the file before
// it reads the body.
void sign(std::vector<std::byte>& bytes) {
  const auto put = [&](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
  };
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t i = 28; i < bytes.size(); ++i)
    sum = (sum ^ std::to_integer<std::uint64_t>(bytes[i])) * 0x100000001b3u;
  put(12, bytes.size() - 28);
  put(20, sum);
}

TEST(GraphFile, ContentThatMisleadsBehindAValidChecksumIsRefusedOrSound) {
  std::vector<std::byte> bytes = encode_graph(small_graph());
  std::vector<std::byte> same = bytes;
  sign(same);
  ASSERT_EQ(same, bytes);  // shows that sign() computes the checksum as the format demands
  const std::uint64_t first = seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(first));
  std::mt19937_64 random(first);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> changed = bytes;
    for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = 28 + random() % (changed.size() - 28);
      changed[at] = static_cast<std::byte>(random() % 3 == 0 ? 0xff : random() % 256);
    }
    if (random() % 4 == 0) changed.resize(28 + random() % (changed.size() - 28));
    if (random() % 8 == 0) changed.resize(changed.size() + random() % 64);
    sign(changed);
    const Result<SavedGraph> decoded = decode_graph(changed);
    if (!decoded.ok()) {
      ++refused;
      ASSERT_EQ(decoded.error().message.find('\n'), std::string::npos);
      continue;
    }
    // If the decoder accepts a file, its graph is valid, perhaps with other values or another name than
    // before the change. Encoding this graph gives the same bytes again.
    ASSERT_TRUE(check_graph(decoded->graph).ok());
    ASSERT_EQ(encode_graph(*decoded), changed);
  }
  EXPECT_GT(refused, 1000);
}

TEST(GraphFile, AnotherVersionIsNamed) {
  std::vector<std::byte> bytes = encode_graph(small_graph());
  bytes[8] = std::byte{9};
  const Result<SavedGraph> decoded = decode_graph(bytes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().message.find("version 9"), std::string::npos) << decoded.error().message;
}

class GraphFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("runahead-graph-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(GraphFolder, AGraphRunsOnAnotherDeviceFromItsFileAlone) {
  const SavedGraph saved = small_graph();
  ASSERT_TRUE(save_graph(path("a.graph"), saved).ok());
  EXPECT_FALSE(std::filesystem::exists(path("a.graph.part")));
  std::vector<float> first;
  for (const Place& place : every_place()) {
    const OpenEngine open({.kind = place.kind}, place.device);
    const Result<SavedGraph> loaded = load_graph(path("a.graph"));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const Result<CompiledGraph> graph = compile(open.here, *loaded);
    ASSERT_TRUE(graph.ok());
    const Result<std::vector<float>> y =
        graph->run(from_host(open.here, {2, 3}, simple_values(6, 3))).asnumpy();
    ASSERT_TRUE(y.ok());
    if (first.empty()) first = *y;
    EXPECT_EQ(*y, first);
    const Result<SavedGraph> again = saved_from(*graph);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(encode_graph(*again), encode_graph(saved));
  }
}

TEST_F(GraphFolder, WhatCannotBeReadOrWrittenIsNamedWithItsPath) {
  const Result<SavedGraph> none = load_graph(path("none.graph"));
  expect_one_line(none);
  EXPECT_NE(none.error().message.find("none.graph"), std::string::npos);
  std::ofstream(path("text.graph")) << "hello";
  const Result<SavedGraph> text = load_graph(path("text.graph"));
  expect_one_line(text);
  EXPECT_NE(text.error().message.find("text.graph"), std::string::npos);
  expect_one_line(load_graph(folder_.string()));
  const Status nowhere = save_graph(path("no/such/folder.graph"), small_graph());
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("folder.graph"), std::string::npos);
}

}  // namespace
}  // namespace runahead::engine
