// visible_text: makes names from traces, files and the environment safe for a terminal. A control character
// in a name could move the cursor, change the title or hide the text behind it. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace runahead {

// Returns `text` with each control character as an escape: \n, \t and \r as such; other C0 characters, DEL
// and bytes that are not UTF-8 in the form \xNN (ESC: "\x1b"); C1 characters, line and paragraph separators,
// and characters that change the text direction in the form \uNNNN.
//   except:  characters to leave as they are, such as "\n" in a text of several lines
[[nodiscard]] std::string visible_text(std::string_view text, std::string_view except = {});

}  // namespace runahead
