/// Bytes to lines: gzip data and plain text. For plain text the lines are also checked against the input,
/// and the number parser is checked against std::from_chars on each of them.
#include "fuzz_support.hpp"
#include "io/parse_number.hpp"

#include <bit>
#include <charconv>
#include <cmath>

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

void check_number(std::string_view text) {
    Real value = 0;
    const char* const last = text.data() + text.size();
    const char* const end = parse_number(text.data(), last, value);
    if (end == nullptr) return;
    fuzz::require(std::isfinite(value) && end <= last && end > text.data());
    const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
    Real expected = 0;
    const auto result = std::from_chars(begin, last, expected);
    fuzz::require(result.ptr == end);
    if (result.ec == std::errc{}) {
        fuzz::require(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::size_t max_line = (choices.byte() & 1U) != 0 ? 8 : 4096;
    // How bytes arrive must not matter.
    const std::string whole = joined_lines(choices.rest(), 4096, max_line);
    fuzz::require(joined_lines(choices.rest(), 1, max_line) == whole);
    check_number(choices.rest());
    return 0;
}
