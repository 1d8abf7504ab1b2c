/// CSV rows, with the format given or detected.
#include "fuzz_support.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t flags = choices.byte();
    ReaderOptions options;
    options.format = (flags & 1U) != 0 ? RowFormat::detect : RowFormat::csv;
    options.table.header = (flags & 2U) == 0;
    options.table.label = options.table.header ? "y" : "c1";
    if ((flags & 4U) != 0) options.table.ignore = {"b"};
    if ((flags & 8U) != 0) options.table.features = {"a"};
    if ((flags & 16U) != 0) options.table.delimiter = ';';
    options.max_line = (flags & 32U) != 0 ? 16 : 4096;
    options.target = fuzz::target_rule(choices.byte());
    fuzz::read_rows(choices.rest(), options, (flags & 64U) != 0 ? 1 : 4096);
    return 0;
}
