#include "instrumentation/import/perfetto/perfetto_file.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/common/protobuf.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

constexpr std::size_t kHeadBytes = 20;  // maximum size of a tag and a length
constexpr std::uint64_t kPacketsPerProgress = 1u << 12;

// The range of the content of a top-level field, and whether the field is a packet.
struct Head {
  std::uint64_t content = 0, end = 0;
  bool packet = false;
};

// False: the bytes are not a field, or the field does not end within the source.
bool read_head(files::ByteSource& source, std::uint64_t offset, Head& out) {
  const std::string_view bytes = source.view(offset, kHeadBytes);
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t length = 0;
  try {
    const std::uint64_t tag = protozero::decode_varint(&at, end);
    out.packet = tag >> 3 == file::kPacket && (tag & 7) == 2;
    switch (tag & 7) {
      case 0:
        (void)protozero::decode_varint(&at, end);
        break;
      case 1:
        length = 8;
        break;
      case 2:
        length = protozero::decode_varint(&at, end);
        break;
      case 5:
        length = 4;
        break;
      default:
        return false;
    }
    if (tag >> 3 == 0) return false;
  } catch (const protozero::exception&) {
    return false;
  }
  out.content = offset + static_cast<std::uint64_t>(at - bytes.data());
  if (length > source.size() - std::min(out.content, source.size())) return false;
  out.end = out.content + length;
  return true;
}

}  // namespace

bool looks_like_packets(std::string_view start) {
  if (start.size() < 2 || start[0] != '\x0a') return false;
  const char* at = start.data() + 1;
  const char* const end = start.data() + start.size();
  try {
    const std::uint64_t length = protozero::decode_varint(&at, end);
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (length == 0 || rest.empty()) return length == 0 && rest.starts_with('\x0a');
    // The first field of the first packet must have a number that packets use and a valid wire type.
    const std::uint64_t tag = protozero::decode_varint(&at, end);
    const std::uint64_t type = tag & 7, number = tag >> 3;
    return number > 0 && number < 20000 && (type <= 2 || type == 5);
  } catch (const protozero::exception&) {
    return false;
  }
}

std::optional<std::uint64_t> packet_end(files::ByteSource& source, std::uint64_t offset) {
  Head head;
  if (!read_head(source, offset, head) || !head.packet) return std::nullopt;
  return head.end;
}

std::uint64_t each_packet(files::ByteSource& source, const std::function<void(std::string_view)>& each,
                          const recordings::Progress& progress) {
  std::uint64_t offset = 0, packets = 0;
  while (offset < source.size()) {
    Head head;
    if (!read_head(source, offset, head)) break;
    if (head.packet) {
      const auto length = static_cast<std::size_t>(head.end - head.content);
      const std::string_view packet = source.view(head.content, length);
      if (packet.size() < length) break;
      each(packet);
    }
    offset = head.end;
    if (progress && ++packets % kPacketsPerProgress == 0 &&
        !progress(static_cast<double>(offset) / static_cast<double>(source.size()))) {
      break;
    }
  }
  return source.size() - offset;
}

}  // namespace runahead::importers::perfetto
