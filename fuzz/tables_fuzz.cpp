/// The textual forms of everything that a table names: a part that works, or a ConfigError. The first byte
/// chooses the table.
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/traffic/city.hpp"
#include "proxstream/traffic/link_costs.hpp"

#include "fuzz_support.hpp"
#include "loss/loss_table.hpp"
#include "offline/sampler.hpp"
#include "online/learner_table.hpp"
#include "online/selector.hpp"
#include "online/tolerance.hpp"
#include "prox/anchored.hpp"
#include "solve/inner_table.hpp"
#include "store/store_settings.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/mesh_demand.hpp"
#include "window/oracle_table.hpp"
#include "window/window_weights.hpp"

#include <array>
#include <cmath>
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

/// Whether a number has so many digits that building what it counts takes long.
bool may_be_large(std::string_view text) {
    std::size_t digits = 0;
    for (const char c : text) {
        if (digits > 2 || (digits > 0 && c == 'e')) return true;
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    }
    return digits > 2;
}

void try_selector(std::string_view text) {
    Selector(Selection::parse(text).member, 3, 1).update(std::array<Real, 3>{0.5, -1, 2});
}

void try_model(std::string_view text) {
    const ForecastRule rule = ForecastRule::parse(text);
    fuzz::require(ForecastRule::parse(rule.text()) == rule);
}

void try_tolerance(std::string_view text) {
    if (const auto delta = Tolerance::parse(text).fixed_delta())
        fuzz::require(*delta >= 0 && *delta <= kAbsurd);
}

void try_store_options(std::string_view text) {
    fuzz::require(Durability::parse(text).turns > 0);
}

void try_retention(std::string_view text) {
    const Retention keep = Retention::parse(text);
    if (keep.seconds) fuzz::require(*keep.seconds > 0 && std::isfinite(*keep.seconds));
}

void try_oracle(std::string_view text) {
    parse_oracle(text, {.window = WindowWeights(3), .base_noise = 1.0, .record_rows = 4});
}

void try_objective(std::string_view text) {
    const Objective objective = Objective::parse(text);
    fuzz::require(std::isfinite(objective.power) && objective.power >= 1);
}

void try_city(std::string_view text) {
    constexpr Index kSmall = 20;
    const CityOptions options = CityOptions::parse(text);
    if (options.rows > kSmall || options.columns > kSmall) return;
    const City city = make_city(options);
    fuzz::require(city.zones.size() >= 2);
    for (const Zone& zone : city.zones) fuzz::require(zone.node < city.network.nodes() && zone.people >= 0);
}

void try_city_demand(std::string_view text) {
    const CityDemandOptions options = CityDemandOptions::parse(text);
    fuzz::require(!std::isnan(options.peak) && !std::isnan(options.burst) && !std::isnan(options.memory));
}

void try_mesh(std::string_view text) {
    MeshOptions::parse(text, "bursts");
    MeshOptions::parse("mesh", text);
}

/// Some samplers are allowed and only slow to build.
void try_sampler(std::string_view text) {
    if (may_be_large(text)) return;
    const Sampler sampler = parse_sampler(text, 1);
    fuzz::require(sampler.loss && all_finite(sampler.start) && sampler.noise >= 0);
}

using Try = void (*)(std::string_view);
constexpr std::array<Try, 16> kTables{
    try_regulariser,   try_loss,        try_learner,  [](std::string_view text) { parse_inner(text, 1); },
    try_window,        try_model,       try_selector, try_tolerance,
    try_store_options, try_retention,   try_oracle,   try_objective,
    try_city,          try_city_demand, try_mesh,     try_sampler};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t table = choices.byte();
    try {
        kTables[table % kTables.size()](choices.rest());
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    }
    return 0;
}
