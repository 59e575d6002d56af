// As knead/base/precompiled.h, with what every test includes.
#pragma once

#include <gtest/gtest.h>

#include "knead/base/precompiled.h"
