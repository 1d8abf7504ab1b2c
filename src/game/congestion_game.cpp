#include "game/congestion_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// It claims no constants. Those that hold for all plays let every pair send its whole demand along each link
/// at once, which is a hundred times what plays meet; `play` finds a step by trial and D by a pilot run.
class CongestionCost final : public PlayerCost {
  public:
    CongestionCost(std::shared_ptr<const CongestionGround> ground, Index carrier)
        : PlayerCost(ground->routing->dimension(), ground->network.links()),
          ground_(std::move(ground)),
          carrier_(carrier) {
        claims_.convex = ground_->routing->costs.convex();
    }

    void condense(ConstView joint, View record, Scratch& scratch) const override {
        // Loads are linear in splits: those of all rivals together are the loads of their mean splits.
        Scratch::Frame frame(scratch);
        const View splits = frame.take(dimension());
        fill(splits, 0);
        for (Index j = 0; j < ground_->shares.size(); ++j) {
            if (j != carrier_)
                axpy(ground_->shares[j], joint.subspan(j * splits.size(), splits.size()), splits);
        }
        find_loads(ground_->routing->paths, ground_->demand, splits, record, scratch);
    }

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        const Routing& routing = *ground_->routing;
        const Real share = ground_->shares[carrier_];
        const DemandColumn column{ground_->demand};
        Scratch::Frame frame(scratch);
        const View loads = frame.take(record_size());
        const View prices = frame.take(record_size());
        find_loads(routing.paths, {&column, 1}, own, loads, scratch);
        scaled(share, loads, loads);
        fill(prices, 0);
        Real total = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            const ConstView rivals = records[age];
            Real spent = 0;
            for (LinkIndex link = 0; link < loads.size(); ++link) {
                const LinkTime at = routing.costs.time(link, loads[link] + rivals[link]);
                spent += loads[link] * at.time;
                prices[link] += weights[age] * (at.time + loads[link] * at.slope);
            }
            total += weights[age] * spent;
        }
        if (!gradient.empty()) {
            price_paths(routing.paths, {&column, 1}, prices, gradient, scratch);
            scaled(share / routing.unit, gradient, gradient);
        }
        return total / routing.unit;
    }

  private:
    std::shared_ptr<const CongestionGround> ground_;
    Index carrier_;
};

}  // namespace

GameDefinition make_congestion_game(std::string name, std::shared_ptr<const CongestionGround> ground) {
    GameDefinition game{.name = std::move(name), .players = {}};
    const AnyRegulariser set{SplitSet(ground->routing)};
    for (Index i = 0; i < ground->shares.size(); ++i) {
        game.players.push_back({fmt::format("carrier {}", i + 1), std::make_shared<CongestionCost>(ground, i),
                                set, fmt::format("splits of {} pairs", ground->demand.size()),
                                even_splits(ground->routing->paths)});
    }
    check(game);
    return game;
}

GameDefinition make_congestion(const Spec& spec) {
    CongestionOptions options;
    if (spec.positional_count() > 0 || spec.has("network")) options.network = spec.word(0, "network");
    options.trips = without_shield(spec.word_or("trips", ""));
    options.shares = spec.numbers("shares");
    options.carriers =
        count_within(spec, "carriers", options.shares.empty() ? 3 : options.shares.size(), 2, 1000);
    options.paths = count_within(spec, "paths", options.paths, 1, kMostPaths);
    options.cost = without_shield(spec.word_or("cost", options.cost));
    options.scale = number_within(spec, "scale", options.scale, 1e-6, 1e6);
    return make_congestion_game(spec.text(),
                                std::make_shared<const CongestionGround>(make_congestion_ground(options)));
}

}  // namespace proxstream
