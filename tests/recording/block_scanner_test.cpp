// Tests BlockScanner, which finds the next undamaged block after damaged bytes.
#include "instrumentation/recording/block_scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/whole_rows.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::recordings {
using namespace trace;
using namespace files;
namespace {

using namespace runahead::testing;

// The preamble of a file, and one block.
std::string a_start() {
  std::string file = make_preamble(kRecordingVersion);
  BlockSealer().seal(BlockKind::kMetadata, encode_metadata({}), 0, file);
  return file;
}

// A block header with a false payload length. It claims all bytes that remain in the file, up to 32 MiB.
// `rest`: the number of remaining bytes, including this header.
std::string forged_header(std::size_t rest) {
  ByteWriter out;
  out.u32(kBlockMagic);
  out.u8(static_cast<std::uint8_t>(BlockKind::kSlices));
  for (int i = 0; i < 3; ++i) out.u8(0);
  const auto size =
      static_cast<std::uint32_t>(std::min<std::size_t>(rest - kBlockHeaderBytes, kMaxBlockRawBytes));
  out.u32(size);
  out.u32(size);
  out.u64(0);
  return out.take();
}

std::string with_forged_headers(std::size_t count, const std::string& behind) {
  std::string file = a_start();
  const std::size_t size = file.size() + count * kBlockHeaderBytes + behind.size();
  for (std::size_t i = 0; i < count; ++i) file += forged_header(size - file.size());
  return file + behind;
}

std::string a_block() {
  std::string block;
  BlockSealer().seal(BlockKind::kCommit, encode_commit(at(100_ns)), 0, block);
  return block;
}

TEST(BlockScanner, AFewForgedHeadersDoNotHideTheBlockBehindThem) {
  const std::string file = with_forged_headers(500, a_block());
  MemorySource source(file);
  BlockScanner scanner(source);
  ASSERT_TRUE(scanner.next());
  const auto block = scanner.next();
  ASSERT_TRUE(block);
  EXPECT_EQ(block->end, file.size());
  EXPECT_EQ(scanner.damaged_bytes(), 500 * kBlockHeaderBytes);
  EXPECT_FALSE(scanner.next());
  EXPECT_FALSE(scanner.ended());
  EXPECT_EQ(scanner.cut_bytes(), 0u);
}

TEST(BlockScanner, AFileOfForgedHeadersIsGivenUpAfterAFewTimesItsBytes) {
  constexpr std::size_t kCount = 100'000;  // a scanner that hashes all claimed payloads would read 120 GB
  const std::string file = with_forged_headers(kCount, a_block());
  MemorySource source(file);
  BlockScanner scanner(source);
  ASSERT_TRUE(scanner.next());
  EXPECT_FALSE(scanner.next());
  EXPECT_LE(scanner.hashed_in_vain(), BlockScanner::most_hashed_in_vain(file.size()) + file.size());
  EXPECT_EQ(scanner.damaged_bytes(), file.size() - a_start().size()) << "all remaining bytes are counted";
  EXPECT_EQ(scanner.cut_bytes(), 0u);
}

TEST(BlockScanner, ALengthThatIsDamagedLeadsNowhere) {
  const std::string whole = grouped_recording(test_seed(), 8);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  constexpr std::size_t kLengthAt = 8;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t bit = 0; bit < 32; ++bit) {
      std::string damaged = whole;
      flip(damaged, (blocks[i].begin + kLengthAt) * 8 + bit);
      MemorySource source(damaged);
      BlockScanner scanner(source);
      std::size_t found = 0;
      while (scanner.next()) ++found;
      ASSERT_EQ(found, blocks.size() - 1);
      ASSERT_EQ(scanner.damaged(), std::vector<ByteRange>({{blocks[i].begin, blocks[i].end}}));
      ASSERT_TRUE(scanner.ended());
    }
  }
}

}  // namespace
}  // namespace runahead::recordings
