/// JSON lines as rows, with the format given or detected. How the bytes arrive does not affect the rows.
#include "fuzz_support.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t flags = choices.byte();
    ReaderOptions options;
    options.format = (flags & 1U) != 0 ? RowFormat::detect : RowFormat::json;
    options.table.label = (flags & 2U) != 0 ? "" : "y";
    if ((flags & 4U) != 0) options.table.ignore = {"b"};
    fuzz::choose_columns(options.table, choices.byte());
    options.max_line = (flags & 8U) != 0 ? 16 : 4096;
    options.target = fuzz::target_rule(choices.byte());
    const std::string rows = fuzz::read_rows(choices.rest(), options, 4096);
    fuzz::require(fuzz::read_rows(choices.rest(), options, 1) == rows);
    return 0;
}
