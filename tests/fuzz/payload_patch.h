// Mutates a payload and corrects its checksum. Without a valid checksum almost no mutated file gets past the
// first hash.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace runahead::testing {

// Makes a recording whose block payloads are cut from `bytes`: again and again a kind, a length and the
// payload. A fuzzer thus reaches the decoders directly.
[[nodiscard]] std::string recording_from_payloads(std::span<const std::byte> bytes);
// The reverse: returns the payloads of a recording's blocks as such bytes.
[[nodiscard]] std::string payloads_of_recording(const std::string& file);

// Returns the recording with a damaged block before its first one. Undefined ids are then ids of lost
// definitions.
[[nodiscard]] std::string behind_damage(std::string recording);

}  // namespace runahead::testing
