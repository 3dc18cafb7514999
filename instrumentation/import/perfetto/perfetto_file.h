// A Perfetto file as packets: plain or gzip, with packets compressed within.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"

namespace runahead::importers::perfetto {
using namespace trace;

// Whether bytes that begin so may be a Perfetto trace: packets, each of which is a message.
[[nodiscard]] bool looks_like_packets(std::string_view start);

// Where the packet that begins at `offset` ends; nullopt where no whole one does.
[[nodiscard]] std::optional<std::uint64_t> packet_end(files::ByteSource& source, std::uint64_t offset);

// Calls `each` with the bytes of every whole packet, valid for the call. Returns how many bytes at the end
// are no whole packet. False from `progress` cancels: what is left counts as cut.
std::uint64_t each_packet(files::ByteSource& source, const std::function<void(std::string_view packet)>& each,
                          const recordings::Progress& progress = {});

}  // namespace runahead::importers::perfetto
