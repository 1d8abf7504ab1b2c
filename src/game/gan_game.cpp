#include "proxstream/core/error.hpp"
#include "proxstream/prox/combinators.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "game/gan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace proxstream {
namespace {

[[noreturn]] void refuse(const Spec& spec, const std::string& why) {
    throw ConfigError("'" + spec.text() + "': " + why);
}

std::vector<Index> hidden_widths(const Spec& spec) {
    constexpr Real kMost = 4096;
    std::vector<Index> widths;
    for (const Real width : spec.numbers("hidden")) {
        if (!(width >= 1 && width <= kMost) || width != std::floor(width))
            refuse(spec, "hidden: " + format_short(width) + " is not a whole number from 1 to 4096");
        widths.push_back(static_cast<Index>(width));
    }
    return widths;
}

GanOptions read_options(const Spec& spec) {
    GanOptions options;
    const std::string data = spec.positional_count() > 0 || spec.has("data") ? spec.word(0, "data") : "ring8";
    const auto positive = [&spec](const char* key, Real fallback) {
        return spec.has(key) ? number_within(spec, key, fallback, 1e-100, 1e100) : fallback;
    };
    options.data = PlaneMixture::named(data, positive("std", 0), positive("scale", 1));
    if (spec.has("hidden")) options.hidden = hidden_widths(spec);
    using enum Activation;
    options.activation =
        std::array{tanh, sigmoid, softplus,
                   gelu}[choice_of(spec, "activation", {"tanh", "sigmoid", "softplus", "gelu"})];
    // Codes are drawn by a number of 32 bits.
    options.latent =
        count_within(spec, "latent", options.latent, 1, std::numeric_limits<std::uint32_t>::max());
    options.samples = count_within(spec, "samples", options.samples, 2, std::numeric_limits<Index>::max());
    Index weights = 0;
    Index inputs = std::max<Index>(options.latent, 2);
    for (const Index width : options.hidden) weights += std::exchange(inputs, width) * width;
    constexpr Index kMostWeights = 10000000;
    if (weights > kMostWeights) {
        refuse(spec, "networks of " + std::to_string(weights) + " weights: " + std::to_string(kMostWeights) +
                         " are the most");
    }
    options.minimax = choice_of(spec, "loss", {"nonsaturating", "minimax"}) == 1;
    options.seed = spec.count_or("seed", options.seed);
    return options;
}

/// `limits` is the set or penalty of the network's parameters; the start is projected onto it.
GamePlayer make_player(const std::shared_ptr<const Gan>& gan, Index seat, const Spec& limits) {
    const bool generates = seat == kGeneratorSeat;
    const Perceptron& network = generates ? gan->generator() : gan->discriminator();
    GamePlayer player{.name = generates ? "generator" : "discriminator",
                      .cost = make_gan_cost(gan, seat),
                      .g = parse_regulariser("zero"),
                      .set = "zero",
                      .start = generates ? gan->generator_start() : gan->discriminator_start()};
    if (limits.name() == "box") {
        const Real bound = limits.number(0, "bound");
        if (!(bound > 0)) refuse(limits, "weights need a bound above 0");
        player.set = "box:-" + format_short(bound) + "," + format_short(bound);
        player.g = parse_regulariser(player.set);
        Scratch scratch;
        player.g.prox(player.start, 1, player.start, scratch);
    } else if (limits.name() == "l1") {
        player.set = "l1:" + format_short(limits.number(0, "weight"));
        player.g =
            AnyRegulariser(Sliced<AnyRegulariser>(0, network.weights(), parse_regulariser(player.set)));
    } else if (limits.name() != "free") {
        throw ConfigError(unknown_name("weights of a GAN", limits.name(), {"free", "box:B", "l1:LAMBDA"}));
    }
    limits.finish();
    return player;
}

}  // namespace

GameDefinition make_gan_game(const Spec& spec) {
    const auto gan = std::make_shared<const Gan>(read_options(spec));
    const Spec limits = Spec::parse(spec.word_or("weights", "free"));
    return {
        .name = "gan:" + gan->data().name,
        .players = {make_player(gan, 1 - kGeneratorSeat, limits), make_player(gan, kGeneratorSeat, limits)},
        .gan = gan};
}

}  // namespace proxstream
