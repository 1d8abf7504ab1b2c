/// The parts of the table of methods, one for each way of evaluating.
#pragma once

#include "offline/method_table.hpp"

namespace proxstream {

std::span<const OfflineMethodRow> exact_method_rows();       // f itself, a pass an iteration
std::span<const OfflineMethodRow> stochastic_method_rows();  // batches of samples

}  // namespace proxstream
