#include "tests/fuzz/payload_patch.h"

#include <algorithm>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"

namespace runahead::testing {

using namespace recordings;

std::string recording_from_payloads(std::span<const std::byte> bytes) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string file = make_preamble(kRecordingVersion);
  BlockSealer sealer;
  while (rest.size() >= 3) {
    const auto kind = static_cast<BlockKind>(static_cast<unsigned char>(rest[0]));
    const std::size_t length = static_cast<unsigned char>(rest[1]) |
                               static_cast<std::size_t>(static_cast<unsigned char>(rest[2])) << 8;
    rest.remove_prefix(3);
    sealer.seal(kind, std::string(rest.substr(0, length)), 0, file);
    rest.remove_prefix(std::min(length, rest.size()));
  }
  return file;
}

std::string payloads_of_recording(const std::string& file) {
  std::string out;
  BlockOpener opener;
  std::string_view rest = std::string_view(file).substr(kPreambleBytes);
  while (rest.size() >= kBlockHeaderBytes) {
    const auto header = parse_block_header(rest);
    if (!header || header->stored_bytes > rest.size() - kBlockHeaderBytes) break;
    const auto payload = opener.open(*header, rest.substr(kBlockHeaderBytes, header->stored_bytes));
    if (payload && payload->size() < (1u << 16)) {
      out += static_cast<char>(header->kind);
      out += static_cast<char>(payload->size() & 0xff);
      out += static_cast<char>(payload->size() >> 8);
      out += *payload;
    }
    rest.remove_prefix(kBlockHeaderBytes + header->stored_bytes);
  }
  return out;
}

std::string behind_damage(std::string recording) {
  std::string block;
  BlockSealer().seal(BlockKind::kStrings, Payload{"what it held is lost"}, 0, block);
  block.back() ^= 1;
  return recording.insert(kPreambleBytes, block);
}

}  // namespace runahead::testing
