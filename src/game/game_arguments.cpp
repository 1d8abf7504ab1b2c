#include "game/game_arguments.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {

Index choice_of(const Spec& spec, std::string_view key, const std::vector<std::string>& words) {
    const std::string word = spec.word_or(key, words.front());
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        throw ConfigError(fmt::format("'{}': {}", spec.text(), unknown_name(key, word, words)));
    return static_cast<Index>(found - words.begin());
}

std::string set_argument(const Spec& spec, std::string_view fallback) {
    std::string text = without_shield(spec.word_or("set", fallback));
    if (text == "box") return "box:-1,1";
    if (text == "ball") return "l2ball:1";
    return text;
}

std::vector<Real> nearest_play(const AnyRegulariser& g, std::vector<Real> v) {
    constexpr Real kStep = 1e-200;  // so small that only the domain of g matters
    Scratch scratch;
    g.check_dimension(v.size());
    g.prox(v, kStep, v, scratch);
    return v;
}

std::vector<Real> DrawSequence::normals(Index count, Real deviation) {
    std::vector<Real> numbers(count);
    for (Real& number : numbers) number = deviation * normal();
    return numbers;
}

}  // namespace proxstream
