/// GANs of the plane as games, from their text.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

namespace proxstream {

/// `gan[:ring8,std=S,hidden=64/64,activation=tanh,latent=2,samples=1048576,loss=nonsaturating,weights=free,
/// seed=1]`: players `discriminator` and `generator`, in this order. `loss=minimax`: the generator's cost is
/// the discriminator's, negated, as far as it depends on the generator. `weights=box:B`: all weights and
/// biases within [-B, B]; `weights=l1:LAMBDA`: the sum of the weights' sizes is paid for, biases are free.
/// Throws ConfigError.
GameDefinition make_gan_game(const Spec& spec);

}  // namespace proxstream
