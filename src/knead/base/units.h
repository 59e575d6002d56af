// Numbers with a unit as people write them: "12 kPa", "3 mm", "45 deg", "60 rpm", "0.9 g/cm^3".
#pragma once

#include <string>
#include <string_view>

namespace knead {

// What became of a text: the number in the wanted unit, or what is wrong and how to write it.
struct Quantity {
    double value = 0;
    std::string mistake;  // "": it is right
    std::string remedy;
};

// `wanted` is a unit in the same notation, such as "Pa s" or "degrees". Decimal prefixes shift the
// decimal point, so that "35 mm" is the number that 0.035 reads as. A number alone is a mistake.
Quantity read_quantity(std::string_view text, std::string_view wanted);

// Whether `unit` is one that read_quantity knows, and whether a text is a number and such a unit.
bool is_unit(std::string_view unit);
bool is_quantity(std::string_view text);

}  // namespace knead
