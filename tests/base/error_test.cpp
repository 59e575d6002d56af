#include "knead/base/error.h"

#include <gtest/gtest.h>

namespace knead {

TEST(Error, NamesPlaceMistakeAndRemedy) {
    const InputError e(Place{"a.toml", 3, 7}, "density is -1", "give a number above 0");
    EXPECT_STREQ(e.what(), "a.toml:3:7: density is -1; give a number above 0");
}

}  // namespace knead
