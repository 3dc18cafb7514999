// visible_text: makes names from traces, files and the environment safe for a terminal. A control character
// in a name could move the cursor, change the terminal's title or hide the text after it. Any thread may call
// it.
#pragma once

#include <string>
#include <string_view>

namespace runahead {

// Returns `text` with escapes instead of control characters:
//   \n, \t, \r:  for line feed, tab and carriage return
//   \xNN:        for other C0 characters (ESC: "\x1b"), DEL, and bytes that are not UTF-8
//   \uNNNN:      for C1 characters, line and paragraph separators, and characters that change the text
//                direction
//   except:  characters to leave as they are, such as "\n" in a text of several lines
[[nodiscard]] std::string visible_text(std::string_view text, std::string_view except = {});

}  // namespace runahead
