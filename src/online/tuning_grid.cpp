#include "online/tuning_grid.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <array>

namespace proxstream {
namespace {

constexpr std::array kRates{"0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3"};
constexpr std::array kAdamRates{"0.0003", "0.001", "0.003", "0.01", "0.03", "0.1"};
constexpr std::array kScaledRates{"0.003", "0.01", "0.03", "0.1", "0.3", "1", "3"};
constexpr std::array kMeanRates{"0.01", "0.03", "0.1", "0.3", "1"};
constexpr std::array kMemories{"100", "300", "1000", "3000", "inf"};
constexpr std::array kWindows{"16", "64", "256"};
constexpr std::array kPowers{"power=0", "power=0.5"};

struct GridRow {
    std::string_view learner;
    std::string_view key;
    std::vector<const char*> values;
    std::vector<const char*> variants = {};  // the grid is tried with each of them
};

template <class List>
std::vector<const char*> all(const List& list) {
    return {list.begin(), list.end()};
}

const std::vector<GridRow>& grids() {
    static const std::vector<GridRow> rows{
        {"prox-gradient", "step", all(kRates)},
        // Constant and falling rates, because a stream may drift or not.
        {"prox-sgd", "step", all(kRates), all(kPowers)},
        {"momentum", "step", all(kRates)},
        {"optimistic", "step", all(kRates)},
        {"extragradient", "step", all(kRates)},
        {"adam", "step", all(kAdamRates)},
        {"adagrad", "step", all(kScaledRates)},
        {"ftrl", "alpha", all(kScaledRates)},
        {"full-history", "step", all(kMeanRates)},
        {"rls", "memory", all(kMemories)},
        {"re-solve", "window", all(kWindows)},
    };
    return rows;
}

std::string joined(std::string text, std::string_view more) {
    if (!more.empty()) text += (text.find(':') == std::string::npos ? ":" : ",") + std::string(more);
    return text;
}

}  // namespace

std::vector<std::string> tuning_candidates(std::string_view learner) {
    const Spec spec = Spec::parse(learner);
    const auto row = std::find_if(grids().begin(), grids().end(),
                                  [&](const GridRow& each) { return each.learner == spec.name(); });
    if (row == grids().end() || spec.has(row->key) || spec.positional_count() > 0)
        return {std::string(learner)};
    const auto colon = learner.find(':');
    const std::string_view given = colon == std::string_view::npos ? "" : learner.substr(colon + 1);
    std::vector<const char*> variants = row->variants;
    if (variants.empty() || spec.has("power")) variants = {""};
    std::vector<std::string> texts;
    for (const char* variant : variants) {
        for (const char* value : row->values) {
            std::string text = spec.name() + ":" + std::string(row->key) + "=" + value;
            texts.push_back(joined(joined(std::move(text), variant), given));
        }
    }
    return texts;
}

}  // namespace proxstream
