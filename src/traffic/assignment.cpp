#include "traffic/assignment.hpp"

#include "proxstream/core/linalg.hpp"

#include <chrono>
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
            return "nothing improves any more: the gap is below what rounding lets it reach";
        case AssignmentStatus::stopped:
            return "interrupted";
    }
    return "";
}

AssignmentResult solve_assignment(Routing& routing, ColumnPricer& pricer, const DemandMix& mix,
                                  std::vector<Real>& x, const AssignmentOptions& options, Scratch& scratch,
                                  const std::function<void(const AssignmentRound&)>& on_round) {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    AssignmentResult result;
    std::vector<Real> gradient(x.size());
    const SweepOptions sweeps;
    Index idle = 0;  // rounds in a row without a lower value or a new path
    for (Index round = 1;; ++round) {
        Pricing pricing;
        Real gap = 0;
        const View wanted = options.generate ? View{} : View(gradient);
        const Real value = evaluate(routing, mix, x, wanted, scratch) * routing.unit;
        ++result.passes;
        if (options.generate) {
            pricing = pricer.price(routing, mix, x, 1e-12, scratch);
            gap = pricing.gap();
            result.full = pricing.full;
        } else {
            gap = restricted_gap(routing.paths, x, gradient);
        }
        result.last = {round, gap, value, routing.paths.live_slots(), seconds()};
        if (on_round) on_round(result.last);
        result.status = gap <= options.gap                           ? AssignmentStatus::reached
                        : options.stop != nullptr && *options.stop   ? AssignmentStatus::stopped
                        : round >= options.max_rounds                ? AssignmentStatus::out_of_rounds
                        : result.last.seconds >= options.max_seconds ? AssignmentStatus::out_of_time
                        : idle >= 3                                  ? AssignmentStatus::stalled
                                                                     : AssignmentStatus::reached;
        if (result.status != AssignmentStatus::reached || gap <= options.gap) return result;
        if (!pricing.changes.empty()) routing.paths.change(pricing.changes);
        // Sweeps over these paths, until their gap is a tenth of the network's: then new paths are due.
        constexpr Index kMostCalls = 8;
        Real fall = 0;
        for (Index i = 0; i < kMostCalls; ++i) {
            fall += sweep_blocks(routing, mix, x, sweeps, scratch);
            evaluate(routing, mix, x, gradient, scratch);
            result.passes += sweeps.passes() + 1;
            if (restricted_gap(routing.paths, x, gradient) <= gap / 10) break;
        }
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
