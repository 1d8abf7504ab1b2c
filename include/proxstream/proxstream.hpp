/// The whole library: include this one header.
#pragma once

#include "proxstream/online_learner.hpp"
#include "proxstream/gradient_check.hpp"
#include "proxstream/prox/affine.hpp"
#include "proxstream/prox/balls.hpp"
#include "proxstream/prox/box.hpp"
#include "proxstream/prox/capped_simplex.hpp"
#include "proxstream/prox/combinators.hpp"
#include "proxstream/prox/group.hpp"
#include "proxstream/prox/norms.hpp"
#include "proxstream/prox/nuclear_norm.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/sums.hpp"
#include "proxstream/prox/total_variation.hpp"
#include "proxstream/regret/certify.hpp"

#include "loss/loss_table.hpp"
