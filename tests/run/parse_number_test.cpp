/// The short way through parse_number against std::from_chars, which it must agree with to the last bit and
/// the last byte.
#include "io/parse_number.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// What the contract says, by std::from_chars alone.
const char* by_the_library(const char* first, const char* last, Real& value) {
    const bool plus = first != last && *first == '+';
    const char* const digits = first + (plus || (first != last && *first == '-') ? 1 : 0);
    if (digits == last || !(is_digit(*digits) || *digits == '.')) return nullptr;
    const auto [end, status] = std::from_chars(plus ? digits : first, last, value);
    return status == std::errc{} && std::isfinite(value) ? end : nullptr;
}

void expect_the_same(const std::string& text) {
    // A copy of its own, so that a sanitizer sees a read behind the end.
    const std::vector<char> bytes(text.begin(), text.end());
    const char* const last = bytes.data() + bytes.size();
    Real ours = 0;
    Real theirs = 0;
    const char* const end = parse_number(bytes.data(), last, ours);
    const char* const expected = by_the_library(bytes.data(), last, theirs);
    ASSERT_EQ(end, expected) << '\'' << text << '\'';
    if (end == nullptr) return;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(theirs)) << text;
}

TEST(ParseNumber, AgreesWithTheLibraryOnEdges) {
    for (const char* text : {"0",
                             "-0",
                             "+0.0",
                             "1",
                             "1.",
                             ".5",
                             "-.5",
                             ".",
                             "-",
                             "",
                             "1e",
                             "1e+",
                             "1e5",
                             "1E-5",
                             "1.5e+3,2",
                             "0x10",
                             "12345678",
                             "123456789",
                             "1234567890123456",
                             "9007199254740992",
                             "9007199254740993",
                             "9007199254740992.0",
                             "0.9007199254740993",
                             "1234567890123456789",
                             "12345678901234567890",
                             "99999999999999999999",
                             "1e22",
                             "1e23",
                             "1e-22",
                             "1e-23",
                             "9007199254740991e22",
                             "1.0e00000000000000022",
                             "0.000000000000000000000000000001",
                             "00000000000000000000001",
                             "1..2",
                             "1.2.3",
                             "1/2",
                             "1:2",
                             "12:3",
                             "1234567:8",
                             "1 2",
                             "1e 5",
                             "1-2",
                             "0.1\x80",
                             "1234\xff",
                             "nan",
                             "inf",
                             "-inf"}) {
        expect_the_same(text);
    }
}

TEST(ParseNumber, AgreesWithTheLibraryOnRandomText) {
    std::mt19937_64 random(7);
    const auto below = [&random](std::uint64_t bound) { return random() % bound; };
    const auto digits = [&](std::size_t count) {
        std::string text;
        while (text.size() < count) text += static_cast<char>('0' + below(10));
        return text;
    };
    for (int i = 0; i < 20'000; ++i) {
        std::string text = below(3) == 0 ? (below(2) == 0 ? "-" : "+") : "";
        text += digits(below(4) == 0 ? below(20) : below(4));
        if (below(5) != 0) text += "." + digits(below(3) == 0 ? below(22) : below(9));
        if (below(4) == 0) {
            text += below(2) == 0 ? 'e' : 'E';
            if (below(2) == 0) text += below(2) == 0 ? "-" : "+";
            text += digits(1 + below(2));
        }
        text += std::string(",; .x").substr(below(5), below(3));
        expect_the_same(text);
    }
}

TEST(ParseNumber, ReadsShortestFormsExactly) {
    std::mt19937_64 random(8);
    std::normal_distribution<Real> normal;
    for (int i = 0; i < 20'000; ++i) {
        const Real number = normal(random) * std::pow(10, static_cast<int>(random() % 30) - 15);
        char text[32];
        const auto written = std::to_chars(text, text + sizeof(text), number);
        Real read = 0;
        ASSERT_EQ(parse_number(text, written.ptr, read), written.ptr);
        ASSERT_EQ(read, number);
    }
}

}  // namespace
}  // namespace proxstream
