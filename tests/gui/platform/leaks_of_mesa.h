// Mesa's drivers leak a few hundred bytes when they are unloaded. Our code cannot free these bytes.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace runahead::gui {

// The address sanitizer reports no leak of what is allocated while this object exists.
struct LeaksOfMesaAllowed {
#if defined(__SANITIZE_ADDRESS__)
  __lsan::ScopedDisabler disabled;
#else
  LeaksOfMesaAllowed() {}  // otherwise a variable of this type would be unused
#endif
};

}  // namespace runahead::gui
