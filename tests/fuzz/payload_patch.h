// Mutates a payload and corrects its checksum. Without a valid checksum, the reader would reject almost every
// mutated file at the first hash.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace runahead::testing {

// Makes a recording whose block payloads are taken from `bytes`. `bytes` is a sequence of items: a kind, a
// length and the payload. A fuzzer thus reaches the decoders directly.
[[nodiscard]] std::string recording_from_payloads(std::span<const std::byte> bytes);
// The reverse: returns the payloads of a recording's blocks in this form.
[[nodiscard]] std::string payloads_of_recording(const std::string& file);

// Returns the recording with a damaged block before its first block. An undefined id is then treated as the
// id of a lost definition.
[[nodiscard]] std::string behind_damage(std::string recording);

}  // namespace runahead::testing
