#include "knead/base/version.h"

namespace knead {

const char* version() { return KNEAD_VERSION; }
const char* built_for() { return KNEAD_BUILT_FOR; }
const char* built_with() { return KNEAD_BUILT_WITH; }

}  // namespace knead
