// Mutates a payload and corrects its checksum. Without a valid checksum, the reader would reject almost every
// mutated file at the first hash.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace runahead::testing {

// Makes a recording with block payloads from `bytes`. `bytes` is a sequence of items: a kind, a length and
// the payload. In this way a fuzzer reaches the payload decoders directly.
[[nodiscard]] std::string recording_from_payloads(std::span<const std::byte> bytes);
// The reverse of recording_from_payloads(): returns the payloads of a recording's blocks as a sequence of
// items in the same format.
[[nodiscard]] std::string payloads_of_recording(const std::string& file);

// Returns the recording with a damaged block before its first block. After such damage, the reader treats an
// undefined id as the id of a lost definition.
[[nodiscard]] std::string behind_damage(std::string recording);

}  // namespace runahead::testing
