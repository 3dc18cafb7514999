// SmallMessage: reads all fields of a protobuf message that has few fields. Its numbers and strings are found
// by field number.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "instrumentation/import/common/protobuf.h"

namespace runahead::importers::perfetto {

class SmallMessage {
 public:
  // Fields numbered kFields or higher are skipped. For a repeated field the last value counts.
  static constexpr std::uint32_t kFields = 16;

  explicit SmallMessage(std::string_view message) {
    whole_ = each_field(message, [this](const Field& field) {
      if (field.number >= kFields) return;
      fields_[field.number] = field;
    });
  }

  // False: the message is damaged; the fields before the damage are available.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool has(std::uint32_t number) const { return fields_[number].number != 0; }
  // 0 or empty if the field is absent or has another type.
  [[nodiscard]] std::uint64_t bits(std::uint32_t number) const { return fields_[number].bits; }
  [[nodiscard]] std::int64_t integer(std::uint32_t number) const { return fields_[number].integer(); }
  [[nodiscard]] std::int32_t int32(std::uint32_t number) const { return fields_[number].int32(); }
  [[nodiscard]] std::uint32_t uint32(std::uint32_t number) const { return fields_[number].uint32(); }
  [[nodiscard]] std::string_view text(std::uint32_t number) const { return fields_[number].bytes; }
  [[nodiscard]] float real32(std::uint32_t number) const {
    return fields_[number].type == protozero::pbf_wire_type::fixed32
               ? std::bit_cast<float>(static_cast<std::uint32_t>(fields_[number].bits))
               : 0;
  }

 private:
  std::array<Field, kFields> fields_{};
  bool whole_ = false;
};

}  // namespace runahead::importers::perfetto
