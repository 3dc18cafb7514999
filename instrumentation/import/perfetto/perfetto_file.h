// Splits a Perfetto file into packets. The caller has already decompressed the file; the Decoder unpacks
// compressed packets.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"

namespace runahead::importers::perfetto {
using namespace trace;

// True if a file with this start may be a Perfetto trace: a list of packets; each packet is a protobuf
// message.
[[nodiscard]] bool looks_like_packets(std::string_view start);

// The end offset of the packet that begins at `offset`; nullopt: no complete packet begins there.
[[nodiscard]] std::optional<std::uint64_t> packet_end(files::ByteSource& source, std::uint64_t offset);

// Calls `each` with the bytes of every complete packet; the bytes are valid during the call. Returns the
// number of bytes at the end that are not a complete packet. If `progress` returns false, the call stops and
// the remaining bytes count as cut off.
std::uint64_t each_packet(files::ByteSource& source, const std::function<void(std::string_view packet)>& each,
                          const recordings::Progress& progress = {});

}  // namespace runahead::importers::perfetto
