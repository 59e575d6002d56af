// The reference of keys in Markdown, made from the table the reader checks with.
#pragma once

#include <string>

namespace knead {

std::string document_keys();

}  // namespace knead
