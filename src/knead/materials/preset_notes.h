// What presets were compared with, and their colours in pictures.
#pragma once

#include "knead/materials/material.h"

namespace knead {

// Fills in `compared` and `color`; std::logic_error for a preset that has no note.
void add_note(Material& preset);

}  // namespace knead
