// Runs the fuzz target of recordings without a fuzzer, in every run of the tests. The inputs are files that
// once broke the reader, and mutations of the seeds. Most mutations have a valid checksum, so that the reader
// does not reject them immediately.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/payload_patch.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/seed_recordings.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {
namespace {

TEST(RecordingFuzz, MutatedFilesNeverBreakTheReader) {
  Random random;
  const std::vector<std::string> seeds = seed_recordings();
  for (int i = 0; i < rounds(2000); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string file = mutated(seed, seeds.front(), random);
    open_as_recording(as_bytes(file));
  }
}

TEST(RecordingFuzz, MutatedPayloadsBehindASoundChecksumNeverBreakTheReader) {
  Random random;
  std::vector<std::string> seeds;
  for (const std::string& file : seed_recordings()) seeds.push_back(payloads_of_recording(file));
  for (int i = 0; i < rounds(6000); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string payloads = mutated(seed, seeds.front(), random);
    const std::string file = recording_from_payloads(as_bytes(payloads));
    open_as_recording(as_bytes(i % 10 == 0 ? behind_damage(file) : file));
  }
}

// Changes some bytes of a block of the file, and gives the block a valid checksum.
void damage_a_block(std::string& file, const recordings::IndexEntry& entry, Random& random) {
  using namespace recordings;
  const std::string_view rest = std::string_view(file).substr(static_cast<std::size_t>(entry.offset));
  const auto header = parse_block_header(rest);
  ASSERT_TRUE(header.has_value());
  std::string payload(rest.substr(kBlockHeaderBytes, header->stored_bytes));
  for (std::int64_t n = random.integer(1, 4); n > 0 && !payload.empty(); --n) {
    const std::int64_t most = std::min<std::int64_t>(random.magnitude(1 << 20), std::ssize(payload) - 1);
    payload[static_cast<std::size_t>(random.integer(0, most))] = static_cast<char>(random.integer(0, 255));
  }
  std::string block;
  BlockSealer sealer;
  sealer.set_compression(false);
  sealer.seal(entry.kind, payload, 0, block);
  file.replace(static_cast<std::size_t>(entry.offset), block.size(), block);
}

TEST(RecordingFuzz, AnIndexThatLiesBehindASoundChecksumNeverBreaksTheReader) {
  Random random;
  const std::string whole = plain_recording();
  const auto index = recordings::read_recording_index(as_bytes(whole));
  ASSERT_TRUE(index.ok());
  std::vector<recordings::IndexEntry> of_interest;
  for (const auto& entry : index->blocks) {
    const bool opens = static_cast<int>(entry.kind) >= static_cast<int>(recordings::BlockKind::kRowsAgain);
    const bool rows = entry.kind == recordings::BlockKind::kSlices ||
                      entry.kind == recordings::BlockKind::kCounters ||
                      entry.kind == recordings::BlockKind::kInstants;
    if (opens || rows) of_interest.push_back(entry);
  }
  int by_chunk = 0;
  for (int i = 0; i < rounds(300); ++i) {
    std::string file = whole;
    const auto any = static_cast<std::size_t>(random.integer(0, std::ssize(of_interest) - 1));
    damage_a_block(
        file, random.chance(0.5) ? of_interest[of_interest.size() - 1 - any % 4] : of_interest[any], random);
    const auto opened = recordings::open_recording_bytes(file);
    by_chunk += opened.ok() && opened->store() != nullptr ? 1 : 0;
    open_as_recording(as_bytes(file));
  }
  EXPECT_GT(by_chunk, rounds(300) / 10);
}

TEST(RecordingFuzz, InputsThatOnceBrokeTheReaderNoLongerDo) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RUNAHEAD_FUZZ_REGRESSIONS)) {
    const std::string input = file_bytes(entry.path());
    if (input.empty() || entry.path().extension() == ".md") continue;
    const std::string rest = input.substr(1);
    const bool payloads = (input[0] & 1) != 0, damage = (input[0] & 8) != 0;
    const std::string file = payloads ? recording_from_payloads(as_bytes(rest)) : rest;
    open_as_recording(as_bytes(payloads && damage ? behind_damage(file) : file));
    ++files;
  }
  std::cout << files << " inputs\n";
}

}  // namespace
}  // namespace runahead::testing
