#include "knead/base/safe_text.h"

#include <gtest/gtest.h>

namespace knead {

TEST(SafeText, WritesOutWhatATerminalWouldObey) {
    EXPECT_EQ(safe_text("\x1b[31mred\x07\r\x7f"), "\\x1b[31mred\\x07\\x0d\\x7f");
    EXPECT_EQ(safe_text("\xc2\x9b"
                        "31m"),
              "\\u009b31m");  // the one-letter escape
    EXPECT_EQ(safe_text("a\xe2\x80\xae"
                        "b"),
              "a\\u202eb");  // turns the writing around
    EXPECT_EQ(safe_text("\xff\xc0\x80\xed\xa0\x80"), "\\xff\\xc0\\x80\\xed\\xa0\\x80");
    EXPECT_EQ(safe_text(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(SafeText, KeepsWhatPeopleWrite) {
    const std::string text = "Knödel à la 麺, \xf0\x9f\x8d\x9c \t'=\\'";
    EXPECT_EQ(safe_text(text), text);
    EXPECT_EQ(safe_text("a\nb"), "a\\nb");
    EXPECT_EQ(safe_text("a\nb", true), "a\nb");
}

}  // namespace knead
