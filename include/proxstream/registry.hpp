/// Losses and regularisers of your own, by name: register_loss and register_regulariser. A name that is
/// registered works wherever texts name a built-in one. docs/building.md shows both, and how the program
/// loads them.
#pragma once

#include "proxstream/loss/row_loss.hpp"
#include "proxstream/prox/regulariser_table.hpp"
