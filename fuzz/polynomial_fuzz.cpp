/// Polynomials, and the built-in games by name: a polynomial in normal form, a game that can be played, or a
/// ConfigError. The first byte says which of the two, and how the game is played.
#include "game/game_table.hpp"
#include "game/polynomial.hpp"
#include "game_checks.hpp"

#include <algorithm>

using namespace proxstream;

namespace {

bool same(const Polynomial& a, const Polynomial& b) {
    const auto equal = [](const Monomial& one, const Monomial& other) {
        return one.coefficient == other.coefficient && one.factors == other.factors;
    };
    return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), equal);
}

void try_polynomial(const std::string& text) {
    const std::vector<std::string> variables{"x", "y", "z[1]", "z[2]"};
    const Polynomial polynomial = parse_polynomial(text, variables);
    for (std::size_t k = 0; k < polynomial.terms.size(); ++k) {
        const Monomial& term = polynomial.terms[k];
        fuzz::require(term.coefficient != 0 && std::abs(term.coefficient) <= kAbsurd);
        fuzz::require(k == 0 || polynomial.terms[k - 1].factors < term.factors);
        for (std::size_t j = 0; j < term.factors.size(); ++j) {
            const Factor& factor = term.factors[j];
            fuzz::require(factor.variable < variables.size());
            fuzz::require(j == 0 || std::pair(term.factors[j - 1].variable, term.factors[j - 1].function) <
                                        std::pair(factor.variable, factor.function));
        }
    }
    // Parentheses and signs change nothing, but for the depth they may be nested to.
    try {
        fuzz::require(same(parse_polynomial("-(-(" + text + "))", variables), polynomial));
    } catch (const ConfigError& error) {
        fuzz::require(error.violations().front().find("nested") != std::string::npos);
    }
}

/// Sizes that are allowed and only slow have three to five digits; files are for other targets.
bool may_be_slow(std::string_view text) {
    std::size_t digits = 0;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit && digits >= 3 && digits <= 5) return true;
        digits = digit ? digits + 1 : 0;
    }
    return (digits >= 3 && digits <= 5) || text.find("congestion:") != text.npos;
}

void try_game(std::string_view text, std::uint8_t choice) {
    if (may_be_slow(text)) return;
    const GameDefinition game = parse_game(text);
    check(game);
    fuzz::require(!game.name.empty());
    if (fuzz::is_small(game)) fuzz::play_a_little(game, choice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    try {
        if (choice % 64 < 32) {
            try_polynomial(std::string(choices.rest()));
        } else {
            try_game(choices.rest(), choice);
        }
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    }
    return 0;
}
