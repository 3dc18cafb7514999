// Writes a row as text, column by column, in the order of the row's description.
#pragma once

#include <ostream>
#include <type_traits>

#include "instrumentation/trace/rows/row_description.h"

namespace runahead::testing {

// Writes strings and args as their ids.
struct IdsAsText {
  void string(std::ostream& out, StringId id) const { out << raw(id); }
  void args(std::ostream& out, ArgsId id) const { out << raw(id); }
};

// Writes " name=value" for each column. Skips an added column that has its default value, so that a new
// column does not change the expected texts. `names` writes strings and arguments.
template <typename Row, typename Names>
void write_columns(std::ostream& out, const Row& row, const Names& names) {
  trace::for_each_column<Row>([&](const auto& column) {
    using Kind = typename std::remove_cvref_t<decltype(column)>::Kind;
    using trace::columns::Meaning;
    if (column.kAdded && Kind::coded(row) == Kind::coded(Row{})) return;
    const auto& member = row.*Kind::kMember;
    out << ' ' << column.name << '=';
    if constexpr (Kind::kMeaning == Meaning::kString) {
      names.string(out, member);
    } else if constexpr (Kind::kMeaning == Meaning::kArgs) {
      names.args(out, member);
    } else if constexpr (Kind::kMeaning == Meaning::kLength) {
      out << Kind::packed(row);
    } else if constexpr (Kind::kMeaning == Meaning::kReal) {
      out << member;
    } else {
      out << trace::columns::code_of(member);
    }
  });
}

}  // namespace runahead::testing
