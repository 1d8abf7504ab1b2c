/// LIBSVM rows, with the dimension given or found. How the bytes arrive does not affect the rows.
#include "fuzz_support.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t flags = choices.byte();
    ReaderOptions options;
    options.format = (flags & 1U) != 0 ? RowFormat::detect : RowFormat::libsvm;
    options.libsvm.zero_based = (flags & 2U) != 0;
    options.libsvm.dimension = (flags & 4U) != 0 ? 9 : 0;
    options.max_line = (flags & 32U) != 0 ? 16 : 4096;
    options.target = fuzz::target_rule(choices.byte());
    const std::string rows = fuzz::read_rows(choices.rest(), options, 4096);
    fuzz::require(fuzz::read_rows(choices.rest(), options, (flags & 64U) != 0 ? 1 : 7) == rows);
    return 0;
}
