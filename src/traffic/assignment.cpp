#include "traffic/assignment.hpp"

#include "proxstream/core/linalg.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace proxstream {
namespace {

/// The gap over the given paths, from the gradient of the mix at x.
Real restricted_gap(const PathSet& paths, ConstView x, ConstView gradient) {
    Real total = 0;
    Real lowest = 0;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real cheapest = kInfinity;
        for (const SlotIndex slot : paths.live_slots(pair)) {
            total += x[slot] * gradient[slot];
            cheapest = std::min(cheapest, gradient[slot]);
        }
        if (cheapest < kInfinity) lowest += cheapest;
    }
    return lowest > 0 ? (total - lowest) / lowest : total > 0 ? kInfinity : 0;
}

/// How the assignment ended in this round; nothing: it continues.
std::optional<AssignmentStatus> ending_of(const AssignmentRound& round, Index idle,
                                          const AssignmentOptions& options) {
    constexpr Index kMostIdle = 3;
    if (round.gap <= options.gap) return AssignmentStatus::reached;
    if (round.round >= options.max_rounds) return AssignmentStatus::out_of_rounds;
    if (round.seconds >= options.max_seconds) return AssignmentStatus::out_of_time;
    if (idle >= kMostIdle) return AssignmentStatus::stalled;
    return std::nullopt;
}

/// Sweeps over the present paths until their gap is a tenth of `gap`, that of the network. Returns the
/// decrease of the sum.
Real sweep_paths(const Routing& routing, const DemandMix& mix, std::vector<Real>& x, Real gap,
                 Scratch& scratch, std::uint64_t& passes) {
    constexpr Index kMostCalls = 8;
    const SweepOptions sweeps;
    std::vector<Real> gradient(x.size());
    Real fall = 0;
    for (Index i = 0; i < kMostCalls; ++i) {
        fall += sweep_blocks(routing, mix, x, sweeps, scratch);
        evaluate(routing, mix, x, gradient, scratch);
        passes += sweeps.passes() + 1;
        if (restricted_gap(routing.paths, x, gradient) <= gap / 10) break;
    }
    return fall;
}

}  // namespace

std::string_view describe(AssignmentStatus status) {
    switch (status) {
        case AssignmentStatus::reached:
            return "the gap is reached";
        case AssignmentStatus::out_of_rounds:
            return "the rounds ran out before the gap was reached";
        case AssignmentStatus::out_of_time:
            return "the time ran out before the gap was reached";
        case AssignmentStatus::stalled:
            return "no further improvement: rounding limits the gap";
        case AssignmentStatus::stopped:
            return "interrupted";
    }
    return "";
}

AssignmentResult solve_assignment(Routing& routing, ColumnPricer& pricer, const DemandMix& mix,
                                  std::vector<Real>& x, const AssignmentOptions& options, Scratch& scratch) {
    const auto start = std::chrono::steady_clock::now();
    AssignmentResult result;
    std::vector<Real> gradient(options.generate ? 0 : x.size());
    Index idle = 0;  // rounds in a row without a lower value or a new path
    for (Index round = 1;; ++round) {
        const Real value = evaluate(routing, mix, x, gradient, scratch) * routing.unit;
        ++result.passes;
        Pricing pricing;
        if (options.generate) pricing = pricer.price(routing, mix, x, 1e-12, scratch);
        const Real gap = options.generate ? pricing.gap() : restricted_gap(routing.paths, x, gradient);
        result.full = pricing.full;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        result.last = {round, gap, value, routing.paths.live_slots(), seconds.count()};
        const bool stopped = options.on_round && !options.on_round(result.last);
        const std::optional<AssignmentStatus> ending =
            stopped && gap > options.gap ? AssignmentStatus::stopped : ending_of(result.last, idle, options);
        if (ending) {
            result.status = *ending;
            return result;
        }
        if (!pricing.changes.empty()) routing.paths.change(pricing.changes);
        const Real fall = sweep_paths(routing, mix, x, gap, scratch, result.passes);
        idle = fall > 0 || !pricing.changes.empty() ? 0 : idle + 1;
    }
}

void widen(Routing& routing, const Network& network, Index slots, std::vector<Real>& x) {
    const PathSet& old = routing.paths;
    const std::vector<Index> wider(old.pairs(), slots);
    PathSet paths(network, {old.all_pairs().begin(), old.all_pairs().end()}, wider);
    std::vector<PathChange> changes;
    std::vector<Real> moved(paths.slots(), 0);
    std::vector<Real> prices(routing.share_prices.empty() ? 0 : paths.slots(), 0);
    for (Index pair = 0; pair < old.pairs(); ++pair) {
        for (SlotIndex slot = old.first_slot(pair); slot < old.end_slot(pair); ++slot) {
            const SlotIndex to = paths.first_slot(pair) + (slot - old.first_slot(pair));
            moved[to] = x[slot];
            if (!prices.empty()) prices[to] = routing.share_prices[slot];
            if (old.live(slot)) changes.push_back({to, true, old.links(slot)});
        }
    }
    paths.change(changes);
    routing.paths = std::move(paths);
    routing.share_prices = std::move(prices);
    x = std::move(moved);
}

}  // namespace proxstream
