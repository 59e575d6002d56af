// Standard input, output and error, which may be closed, full or broken.
#pragma once

#include <string_view>

namespace knead::cli {

// Those that are closed lead nowhere, so that no file takes their number. Broken pipes and limits
// on file size become errors of the write, like a full disk.
void prepare_streams();

// Prints to standard output at once. An error is kept for finish_output; it never throws. Titles,
// names and paths may hold anything: what would steer the terminal is written out (safe_text).
enum class Printed { yes, failed, reader_left };
Printed say(std::string_view text);
Printed say_as_it_is(std::string_view text);  // for text of our own that draws over a line

// Why something could not be printed, where another found out.
void note_output_error(int error);

// Prints to standard error, as far as that can be done, and as safely.
void complain(std::string_view text);

// Everything that was printed must have arrived: where it did not, says so, and what was a success
// becomes exit code 1. A reader that left early has had enough, and hears nothing.
int finish_output(int exit_code);

}  // namespace knead::cli
