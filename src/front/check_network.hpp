/// Checks and preparations that assign() and Router share.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/traffic/link_costs.hpp"
#include "proxstream/traffic/network.hpp"

#include "core/violations.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// Checks that costs can be computed with the capacity, time and parameters of every link.
void check_links(const Network& network, Violations& violations);

/// Throws DataError.
[[noreturn]] void refuse_data(const std::string& source, const std::string& field, const std::string& problem,
                              const std::string& expected);

/// The link costs of AssignOptions or RouterOptions.
template <class Options>
LinkCosts make_costs(const Network& network, const Options& options) {
    return LinkCosts(network, link_cost_form(options.cost, options.objective),
                     Objective::parse(options.objective), {options.toll_factor, options.distance_factor});
}

/// The indices of the pairs in ascending order, as paths need them.
std::vector<Index> ascending_order(std::span<const Pair> pairs);

/// "FROM->TO".
std::string pair_name(const Network& network, const Pair& pair);

/// Checks that nodes exist, no pair is listed twice, and none joins a node with itself. Throws DataError;
/// `source` names the demand.
void check_pairs(const Network& network, std::span<const Pair> pairs, const std::string& source);

/// Checks that there is a finite number >= 0 for each pair. Throws DataError.
void check_demand(const Network& network, std::span<const Pair> pairs, ConstView demand,
                  const std::string& source);

}  // namespace proxstream
