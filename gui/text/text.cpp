#include "gui/text/text.h"

#include "gui/text/language_table.h"

namespace runahead::gui {

const char* text(Text which, Language language) {
  switch (language) {
    case Language::kEnglish:
      break;
  }
  return english_text(which);
}

}  // namespace runahead::gui
