#include "game/gan_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/combinators.hpp"
#include "proxstream/prox/regulariser_table.hpp"

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

Activation activation_of(const Spec& spec) {
    constexpr std::array<std::pair<const char*, Activation>, 4> kNames{{{"tanh", Activation::tanh},
                                                                        {"sigmoid", Activation::sigmoid},
                                                                        {"softplus", Activation::softplus},
                                                                        {"gelu", Activation::gelu}}};
    const std::string word = spec.word_or("activation", "tanh");
    for (const auto& [name, activation] : kNames) {
        if (word == name) return activation;
    }
    throw ConfigError(unknown_name("activation", word, {"tanh", "sigmoid", "softplus", "gelu"}));
}

bool is_minimax(const Spec& spec) {
    const std::string word = spec.word_or("loss", "nonsaturating");
    if (word != "nonsaturating" && word != "minimax")
        throw ConfigError(unknown_name("loss of a generator", word, {"nonsaturating", "minimax"}));
    return word == "minimax";
}

GanOptions read_options(const Spec& spec) {
    GanOptions options;
    const std::string data = spec.positional_count() > 0 || spec.has("data") ? spec.word(0, "data") : "ring8";
    const auto positive = [&spec](const char* key, Real fallback) {
        const Real value = spec.number_or(Spec::kByNameOnly, key, fallback);
        if (spec.has(key) && !(value > 0 && std::isfinite(value)))
            refuse(spec, std::string(key) + " must be positive");
        return value;
    };
    options.data = PlaneMixture::named(data, positive("std", 0), positive("scale", 1));
    if (spec.has("hidden")) options.hidden = hidden_widths(spec);
    options.activation = activation_of(spec);
    options.latent = spec.count_or("latent", options.latent);
    options.samples = spec.count_or("samples", options.samples);
    constexpr Index kMost = std::numeric_limits<std::uint32_t>::max();
    if (options.latent > kMost) refuse(spec, "latent: codes of so many dimensions cannot be drawn");
    Index weights = 0;
    Index inputs = std::max<Index>(options.latent, 2);
    for (const Index width : options.hidden) weights += std::exchange(inputs, width) * width;
    constexpr Index kMostWeights = 10000000;
    if (weights > kMostWeights) {
        refuse(spec, "networks of " + std::to_string(weights) + " weights: " + std::to_string(kMostWeights) +
                         " are the most");
    }
    options.minimax = is_minimax(spec);
    options.seed = spec.count_or("seed", options.seed);
    return options;
}

/// The set or penalty of one network's parameters; its start is taken into it.
GamePlayer make_player(std::string name, const Spec& limits, const Perceptron& network,
                       std::shared_ptr<const PlayerCost> cost, std::vector<Real> start) {
    GamePlayer player{.name = std::move(name),
                      .cost = std::move(cost),
                      .g = parse_regulariser("zero"),
                      .set = "zero",
                      .start = std::move(start)};
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
    GameDefinition game{.name = "gan:" + gan->data().name, .players = {}, .gan = gan};
    game.players.push_back(make_player("discriminator", limits, gan->discriminator(),
                                       std::make_shared<DiscriminatorCost>(gan), gan->discriminator_start()));
    game.players.push_back(make_player("generator", limits, gan->generator(),
                                       std::make_shared<GeneratorCost>(gan), gan->generator_start()));
    return game;
}

}  // namespace proxstream
