// Where: the place in a program that enqueues an op. If the op fails, the error message names this place.
#pragma once

#include <cstdint>

#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

// Cheap to copy: nothing is allocated, and no text is copied.
struct Where {
  const char* file = "";   // static storage, or interned
  std::uint32_t line = 0;  // 0: the place is not known, so the error message names the op's own site
  // Static storage, or interned (record::intern_site). If it is set, it replaces the operator's own site: the
  // recording and the error messages then show its name. Its kind must be the kind of the op.
  const record::Site* site = nullptr;

  // The place of the call that has current() as a default argument.
  [[nodiscard]] static constexpr Where current(const char* file = __builtin_FILE(),
                                               std::uint32_t line = __builtin_LINE()) {
    return {file, line, nullptr};
  }
  // The place of `site`, whose name the op gets. For programs in other languages, such as a Python script.
  [[nodiscard]] static Where at(const record::Site& site) { return {site.file, site.line, &site}; }
};

}  // namespace runahead::engine
