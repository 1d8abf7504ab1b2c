/// Bytes to lines: gzip data and plain text. How the bytes arrive does not affect the lines.
#include "fuzz_support.hpp"

using namespace proxstream;

namespace {

std::string joined_lines(std::string_view bytes, std::size_t piece, std::size_t max_line) {
    std::string text;
    LineReader lines(memory_input("f", std::string(bytes), piece).open(), max_line);
    std::string_view line;
    for (bool more = true; more;) {
        try {
            more = lines.next(line);
            if (!more) break;
            fuzz::require(line.size() <= max_line && line.find('\n') == std::string_view::npos);
            text += std::to_string(lines.line()) + ":" + std::string(line) + "\n";
            if (line.size() % 3 == 0) {
                std::string_view longer;
                const std::string first(line);
                const bool extended = lines.extend(longer);
                fuzz::require(!extended || longer.starts_with(first));
                lines.rewind();
                fuzz::require(lines.next(line) && line == first);
            }
        } catch (const DataError& error) {
            text += std::string(error.what()) + "\n";
        }
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::size_t max_line = (choices.byte() & 1U) != 0 ? 8 : 4096;
    const std::string whole = joined_lines(choices.rest(), 4096, max_line);
    fuzz::require(joined_lines(choices.rest(), 1, max_line) == whole);
    return 0;
}
