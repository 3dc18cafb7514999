// Reads protobuf messages field by field; the input may be any bytes. A field whose wire type (encoding) is
// not the expected one reads as empty or zero.
#pragma once

#include <bit>
#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace runahead::importers::perfetto {

struct Field {
  std::uint32_t number = 0;
  protozero::pbf_wire_type type = protozero::pbf_wire_type::unknown;
  std::uint64_t bits = 0;  // value of a varint or of a fixed-size number
  std::string_view bytes;  // content of a string, a message or packed numbers

  [[nodiscard]] bool is_number() const { return type != protozero::pbf_wire_type::length_delimited; }
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] std::int32_t int32() const { return static_cast<std::int32_t>(bits); }
  [[nodiscard]] std::uint32_t uint32() const { return static_cast<std::uint32_t>(bits); }
  [[nodiscard]] double real() const {
    return type == protozero::pbf_wire_type::fixed64 ? std::bit_cast<double>(bits) : 0;
  }
};

// Calls visit(field) for each field of `message`. False: the bytes end inside a field or are damaged. In this
// case, only the fields before the damage were visited.
template <typename Visit>
bool each_field(std::string_view message, Visit visit) {
  try {
    protozero::pbf_reader reader(protozero::data_view(message.data(), message.size()));
    while (reader.next()) {
      Field field{.number = reader.tag(), .type = reader.wire_type()};
      switch (field.type) {
        case protozero::pbf_wire_type::varint:
          field.bits = reader.get_uint64();
          break;
        case protozero::pbf_wire_type::fixed64:
          field.bits = reader.get_fixed64();
          break;
        case protozero::pbf_wire_type::fixed32:
          field.bits = reader.get_fixed32();
          break;
        case protozero::pbf_wire_type::length_delimited: {
          const protozero::data_view view = reader.get_view();
          field.bytes = {view.data(), view.size()};
          break;
        }
        default:
          return false;
      }
      visit(field);
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

// `field` is one number, or a list of packed numbers. Calls visit(bits) for each number. If `wide` is true,
// each packed number has 8 bytes; otherwise each packed number is a varint.
template <typename Visit>
bool each_number(const Field& field, bool wide, Visit visit) {
  if (field.is_number()) {
    visit(field.bits);
    return true;
  }
  try {
    const char* at = field.bytes.data();
    const char* const end = at + field.bytes.size();
    while (at != end) {
      if (!wide) {
        visit(protozero::decode_varint(&at, end));
        continue;
      }
      if (end - at < 8) return false;
      std::uint64_t bits = 0;
      for (int i = 0; i < 8; ++i) {
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(*at++)) << (8 * i);
      }
      visit(bits);
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace runahead::importers::perfetto
