/// Losses and regularisers of your own by name: register_loss and register_regulariser. A registered name
/// works wherever a built-in one does. docs/building.md shows both, and how the program loads them as a
/// plugin. Example: examples/plugin/plugin.cpp
#pragma once

#include "proxstream/loss/row_loss.hpp"
#include "proxstream/prox/regulariser_table.hpp"
