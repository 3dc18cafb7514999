// visible_text: names from traces, files and the environment, as a terminal may show them. A control
// character in a name could move the cursor, change the title or hide what follows. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace runahead {

// `text` with each control character written out: "\n", "\t" and "\r"; other C0 characters, DEL and bytes
// that are not UTF-8 as "\x1b"; C1 characters, and those that change the direction of text, as "\u202e".
//   except  characters that stay, such as "\n" of a text that has lines
[[nodiscard]] std::string visible_text(std::string_view text, std::string_view except = {});

}  // namespace runahead
