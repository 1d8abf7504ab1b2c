/// The two parts of the method table, and the makers of methods with sources of their own.
#pragma once

#include "offline/method_table.hpp"

namespace proxstream {

std::span<const OfflineMethodRow> exact_method_rows();
std::span<const OfflineMethodRow> sampled_method_rows();

using MadeMethod = std::unique_ptr<OfflineMethod>;

MadeMethod make_prox_adam(const Spec& spec, const MethodParts& parts);
MadeMethod make_reduction(const Spec& spec, const MethodParts& parts);

}  // namespace proxstream
