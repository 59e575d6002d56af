// Text from files for people's terminals. A title or a name must not move the cursor, change
// colours or turn the direction of writing.
#pragma once

#include <string>
#include <string_view>

namespace knead {

// The same text with control characters, directional marks and bytes that are no UTF-8 written out,
// as in \x1b. Ends of lines stay only where `lines` is set; tabs stay.
std::string safe_text(std::string_view text, bool lines = false);

}  // namespace knead
