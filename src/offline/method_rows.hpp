/// The rows of methods that evaluate f itself, and the makers of the others.
#pragma once

#include "offline/method_table.hpp"

namespace proxstream {

std::span<const OfflineMethodRow> exact_method_rows();

using MadeMethod = std::unique_ptr<OfflineMethod>;

MadeMethod make_prox_sgd(const Spec& spec, const MethodParts& parts);
MadeMethod make_prox_svrg(const Spec& spec, const MethodParts& parts);
MadeMethod make_prox_svrg_plus(const Spec& spec, const MethodParts& parts);
MadeMethod make_spiderboost(const Spec& spec, const MethodParts& parts);
MadeMethod make_sarah(const Spec& spec, const MethodParts& parts);
MadeMethod make_sarah_adaptive(const Spec& spec, const MethodParts& parts);
MadeMethod make_storm(const Spec& spec, const MethodParts& parts);
MadeMethod make_hybrid(const Spec& spec, const MethodParts& parts);
MadeMethod make_prox_adam(const Spec& spec, const MethodParts& parts);
MadeMethod make_reduction(const Spec& spec, const MethodParts& parts);

}  // namespace proxstream
