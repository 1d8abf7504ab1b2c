#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/traffic/link_costs.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"
#include "game/game_table.hpp"
#include "loss/loss_table.hpp"
#include "offline/method_table.hpp"
#include "offline/sampler.hpp"
#include "online/learner_table.hpp"
#include "online/selector.hpp"
#include "route/built_in.hpp"
#include "route/strategy.hpp"
#include "solve/inner_table.hpp"
#include "window/oracle_table.hpp"
#include "window/window_weights.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

void print_row(std::string_view usage, std::string_view help) {
    constexpr std::size_t kColumn = 44;
    if (usage.size() < kColumn) {
        fmt::print("  {:<{}}{}\n", usage, kColumn, help);
    } else {
        fmt::print("  {}\n  {:<{}}{}\n", usage, "", kColumn, help);
    }
}

void list_losses() {
    fmt::print("losses (--loss), residual r = a.x - y, margin m = y a.x:\n");
    for (const LossRow& row : losses()) {
        print_row(row.usage, row.formula.empty() ? row.help : fmt::format("{}: {}", row.help, row.formula));
    }
}

void list_regularisers() {
    fmt::print("regularisers (--reg); sums with '+' if the sum has a known prox:\n");
    for (const RegulariserRow& row : regularisers()) {
        print_row(row.usage, row.formula.empty()
                                 ? row.help
                                 : fmt::format("{}: {}, {}", row.help, row.formula, row.cost));
    }
}

void list_learners() {
    fmt::print("learners (--learner); each also takes window=W:\n");
    for (const LearnerRow& row : learners()) print_row(row.usage, row.help);
}

void list_inner() {
    fmt::print("inner solvers (--inner):\n");
    for (const InnerRow& row : inner_solvers()) print_row(row.usage, row.help);
}

void list_methods() {
    fmt::print("methods of fit (--method):\n");
    for (const OfflineMethodRow& row : offline_methods())
        print_row(row.usage, fmt::format("{} ({})", row.help, row.source));
}

void list_samplers() {
    fmt::print("samplers (sampler:NAME as the data of fit), f(x) = E F(x, xi):\n");
    for (const SamplerRow& row : samplers())
        print_row(row.usage, fmt::format("{}: {}", row.help, row.formula));
}

void list_oracles() {
    fmt::print("oracles (--oracle), where gradients come from:\n");
    for (const OracleRow& row : oracles()) print_row(row.usage, row.help);
}

void list_windows() {
    fmt::print("windows (--window):\n");
    print_row("auto[:windows=1/4/16,also=A/B,selection=S,..]",
              "an ensemble of windows, weighted by realised loss; arguments as for the learner 'ensemble'");
    for (const WindowUsage& form : WindowWeights::forms()) print_row(form.usage, form.help);
}

void list_models() {
    fmt::print("forecasts of the next loss (--model):\n");
    for (const WindowUsage& form : ForecastRule::forms()) print_row(form.usage, form.help);
}

void list_selections() {
    fmt::print("selections (--selection), how an ensemble turns its members into a decision:\n");
    for (const SelectionRow& row : Selection::rows()) print_row(row.usage, row.help);
}

void list_costs() {
    fmt::print("link costs (--cost), time at load y, t_0 and capacity c of the link:\n");
    for (const CostRow& row : link_cost_forms()) print_row(row.usage, row.help);
}

void list_objectives() {
    fmt::print("objectives of routing (--objective):\n");
    for (const CostRow& row : objectives()) print_row(row.usage, row.help);
}

void list_rivals() {
    fmt::print("rivals of routing (--rivals), in addition to any learner:\n");
    for (const StrategyRow& row : strategies()) print_row(row.usage, row.help);
}

void list_networks() {
    fmt::print("built-in networks (builtin:NAME), and their demand (--demand):\n");
    for (const BuiltInRow& row : built_in_networks()) print_row(row.usage, row.help);
    for (const BuiltInRow& row : built_in_demands()) print_row(row.usage, row.help);
}

void list_games() {
    fmt::print("games (of play):\n");
    for (const GameRow& row : games()) print_row(row.usage, row.help);
}

struct Listing {
    std::string_view name;
    void (*print)();
};

constexpr std::array kListings{Listing{"losses", list_losses},     Listing{"regularisers", list_regularisers},
                               Listing{"learners", list_learners}, Listing{"windows", list_windows},
                               Listing{"models", list_models},     Listing{"selections", list_selections},
                               Listing{"inner", list_inner},       Listing{"oracles", list_oracles},
                               Listing{"methods", list_methods},   Listing{"samplers", list_samplers},
                               Listing{"costs", list_costs},       Listing{"objectives", list_objectives},
                               Listing{"rivals", list_rivals},     Listing{"networks", list_networks},
                               Listing{"games", list_games}};

}  // namespace

int list(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        for (const Listing& listing : kListings) {
            listing.print();
            fmt::print("\n");
        }
        return kOk;
    }
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print(
                "usage: proxstream list [losses] [regularisers] [learners] [windows] [models] [selections] "
                "[inner] [oracles] [methods]\n                       [samplers] [costs] [objectives] "
                "[rivals] [networks] [games]\n");
            return kOk;
        }
        find_row(kListings, "list", argument).print();
    }
    return kOk;
}

}  // namespace proxstream::app
