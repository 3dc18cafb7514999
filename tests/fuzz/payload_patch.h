// Mutation with a sound checksum: without it hardly any mutated file gets past the first hash.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace runahead::testing {

// A recording whose block payloads are cut from `bytes`: a kind, a length and the payload, again and again.
// So a fuzzer reaches the decoders directly.
[[nodiscard]] std::string recording_from_payloads(std::span<const std::byte> bytes);
// The reverse: the payloads of a recording's blocks, as such bytes.
[[nodiscard]] std::string payloads_of_recording(const std::string& file);

// The recording with a damaged block before its first one: ids that nobody defined are then ids of lost
// definitions.
[[nodiscard]] std::string behind_damage(std::string recording);

}  // namespace runahead::testing
