/// The textual forms of regularisers, losses, learners, inner solvers, windows, models and selectors: a part
/// that works, or a ConfigError.
#include "proxstream/prox/regulariser_table.hpp"

#include "fuzz_support.hpp"
#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "online/selector.hpp"
#include "prox/anchored.hpp"
#include "solve/inner_table.hpp"
#include "window/window_weights.hpp"

#include <array>
#include <vector>

using namespace proxstream;

namespace {

constexpr Index kDimension = 6;

void try_regulariser(std::string_view text) {
    const AnyRegulariser g = parse_regulariser(text);
    g.check_dimension(kDimension);
    const std::array<Real, kDimension> v{1, -2, 0, 0.5, 3, -0.25};
    std::array<Real, kDimension> out{};
    Scratch scratch;
    g.prox(v, 0.5, out, scratch);
    if (supports_switching(g)) Anchored(g, {.kappa = 0.3, .mu = 0.2}, kDimension).prox(v, 0.5, out, scratch);
}

void try_loss(std::string_view text) {
    const auto family = parse_loss(text, RowShape{.features = 2});
    fuzz::require(family->dimension() >= family->penalised());
    fuzz::require(family->target_kind() == loss_target(text));
}

/// Weights are not negative and add up to 1 at most, in every round; so do those of the models they allow.
void check_weights(const WindowWeights& window, bool is_judge) {
    std::vector<Real> weights;
    WindowRecurrence recurrence;
    for (const Round t : {Round{1}, Round{2}, Round{7}, Round{100}}) {
        window.at(t, weights);
        window.follow(t, recurrence);
        Real total = 0;
        for (const Real weight : weights) {
            fuzz::require(weight >= 0);
            total += weight;
        }
        // A judge of one record below 1 is modelled by the whole of the newest.
        fuzz::require(weights.size() <= window.length() && total <= 1 + 1e-6 && (!is_judge || total > 0));
    }
    fuzz::require(window.effective_length() > 0);
}

void try_window(std::string_view text) {
    constexpr Index kLong = 4096;
    const WindowWeights window = WindowWeights::parse(text);
    if (window.length() > kLong) return;
    check_weights(window, true);
    fuzz::require(WindowWeights::parse(window.text()).text() == window.text());
    for (const char* model : {"previous", "mean", "zero", "season:3"}) {
        try {
            check_weights(window.forecast_window(ForecastRule::parse(model)), false);
        } catch (const ConfigError& error) {
            fuzz::require(!error.violations().empty());
        }
    }
}

/// Some windows are allowed and only slow to build; the digits are what is tested here.
bool may_be_long(std::string_view text) {
    for (const std::string_view word : {"window", "longest", "season"}) {
        if (text.find(word) != std::string_view::npos) return true;
    }
    return false;
}

void try_learner(std::string_view text) {
    if (may_be_long(text)) return;
    check_learner(text, {.g = parse_regulariser("zero"), .make_batch = {}, .start = {}, .budget = {}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t kind = choices.byte();
    const std::string_view text = choices.rest();
    try {
        switch (kind % 7) {
            case 0:
                try_regulariser(text);
                break;
            case 1:
                try_loss(text);
                break;
            case 2:
                try_learner(text);
                break;
            case 3:
                parse_inner(text, 1);
                break;
            case 4:
                try_window(text);
                break;
            case 5:
                fuzz::require(ForecastRule::parse(ForecastRule::parse(text).text()) ==
                              ForecastRule::parse(text));
                break;
            default:
                Selector(Selection::parse(text).member, 3, 1).update(std::array<Real, 3>{0.5, -1, 2});
        }
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    }
    return 0;
}
