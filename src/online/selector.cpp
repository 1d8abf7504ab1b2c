#include "online/selector.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/find_row.hpp"
#include "core/violations.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr std::array kSelections{
    SelectionRow{"mean", "mean[:mixers=losses/gradients/clipped,switches=4]",
                 "play the weighted mean of all members; default where a mean of models is a model"},
    SelectionRow{"draw", "draw[:switches=4,draws=coupled]",
                 "play one member, drawn by weights that track the best one through switches"},
    SelectionRow{"hedge", "hedge[:rate=R | range=1,rounds=10000]",
                 "play one member, drawn by exponential weights at one rate"},
    SelectionRow{"leader", "leader[:discount=0.98,margin=0.3]",
                 "play the member with the least discounted loss; no draws, no guarantee"},
};

/// Keeps these draws apart from those of the members' own rules.
constexpr std::uint32_t kEnsemble = 0x62616e6b;

}  // namespace

std::span<const SelectionRow> Selection::rows() {
    return kSelections;
}

Selection Selection::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    const std::string name(find_row(kSelections, "selection", spec.name()).name);
    Selection selection;
    selection.text = spec.text();
    Selector::Options& options = selection.member;
    Violations violations;
    const auto require = [&](bool holds, const char* what) {
        violations.require(holds, "selection '{}': {}", spec.text(), what);
    };
    const auto number = [&](const char* key, Real fallback) {
        return spec.number_or(Spec::kByNameOnly, key, fallback);
    };
    if (name == "mean") {
        selection.mean = Mixture::Options::parse(spec);
        selection.text = selection.mean->text();
    } else if (name == "hedge") {
        options.kind = Selector::Kind::hedge;
        options.rate = number("rate", 0);
        options.range = number("range", options.range);
        options.rounds = number("rounds", options.rounds);
        require(!spec.has("rate") || (options.rate > 0 && options.rate < kInfinity),
                "rate must be positive and finite");
        require(options.range > 0 && options.range < kInfinity, "range must be positive and finite");
        require(options.rounds >= 1, "rounds must be at least 1");
        require(!spec.has("rate") || !(spec.has("range") || spec.has("rounds")),
                "give the rate, or the range of losses and the number of rounds it follows from");
    } else if (name == "leader") {
        options.kind = Selector::Kind::leader;
        options.discount = number("discount", options.discount);
        options.margin = number("margin", options.margin);
        require(options.discount > 0 && options.discount <= 1, "discount must lie in (0, 1]");
        require(options.margin >= 0 && options.margin < kInfinity, "margin must be finite and not negative");
    } else {
        options.switches = number("switches", options.switches);
        require(options.switches >= 0 && options.switches <= 1e6, "switches must be from 0 to 1e6");
    }
    if (name != "mean") {
        const std::string draws = spec.word_or("draws", "coupled");
        require(draws == "coupled" || draws == "fresh", "draws is coupled or fresh");
        options.coupled = draws == "coupled";
    }
    violations.conclude();
    spec.finish();
    return selection;
}

Selector::Selector(const Options& options, Index members, std::uint64_t seed)
    : options_(options),
      seed_(seed),
      now_{.share = AdaShare(members, options.switches), .discounted = std::vector<Real>(members)} {
    assert(members > 0);
    if (options_.kind == Kind::hedge && options_.rate == 0) {
        // The rate of the worst case over that many rounds; a single member makes any rate as good.
        const Real complexity = std::log(static_cast<Real>(std::max<Index>(members, 2)));
        options_.rate = std::sqrt(8 * complexity / options_.rounds) / options_.range;
    }
    // The leader starts with the member in the middle; a draw decides for the others.
    if (options_.kind == Kind::leader) {
        now_.active = members / 2;
    } else {
        now_.active = static_cast<Index>(
            uniform_below({.seed = seed_, .round = 0, .record = kEnsemble, .step = 0, .sample = 0}, members));
    }
}

void Selector::update(ConstView losses) {
    assert(losses.size() == weights().size());
    const std::vector<Real> earlier(weights().begin(), weights().end());
    ++now_.round;
    switch (options_.kind) {
        case Kind::draw:
            now_.share.update(losses);
            break;
        case Kind::hedge:
            now_.share.update(losses, options_.rate, 0);
            break;
        case Kind::leader:
            follow_leader(losses);
            return;
    }
    draw(earlier);
}

void Selector::draw(ConstView earlier) {
    const Draw draw{.seed = seed_, .round = now_.round, .record = kEnsemble, .step = 0, .sample = 0};
    const Real chance = uniform(draw);
    const ConstView weights = now_.share.weights();
    // Maximal coupling: k_t follows p_t exactly and changes no more often than the weights do.
    if (options_.coupled && chance * earlier[now_.active] < weights[now_.active]) return;
    Draw second = draw;
    second.step = 1;
    Real total = 0;
    const auto gain = [&](Index k) {
        return options_.coupled ? std::max(Real{0}, weights[k] - earlier[k]) : weights[k];
    };
    for (Index k = 0; k < weights.size(); ++k) total += gain(k);
    Real left = uniform(second) * total;
    for (Index k = 0; k < weights.size(); ++k) {
        left -= gain(k);
        if (gain(k) > 0 && left < 0) {
            now_.active = k;
            return;
        }
    }
}

void Selector::follow_leader(ConstView losses) {
    const auto [low, high] = std::minmax_element(losses.begin(), losses.end());
    now_.spread = options_.discount * now_.spread + (*high - *low);
    now_.rounds = options_.discount * now_.rounds + 1;
    for (Index k = 0; k < losses.size(); ++k) {
        now_.discounted[k] = options_.discount * now_.discounted[k] + losses[k];
    }
    const auto best = static_cast<Index>(std::min_element(now_.discounted.begin(), now_.discounted.end()) -
                                         now_.discounted.begin());
    const Real lead = now_.discounted[now_.active] - now_.discounted[best];
    if (lead > options_.margin * now_.spread / now_.rounds) now_.active = best;
    now_.share.choose(now_.active);
}

void Selector::State::serialise(StateArchive& archive) {
    archive.section("share", share);
    archive.fixed("discounted", discounted);
    archive.fields(Field{"spread", spread}, Field{"rounds", rounds});
    archive.field("active", active, discounted.size() - 1);
    archive.field("round", round);
}

void Selector::serialise(StateArchive& archive) {
    archive.section("now", now_);
}

}  // namespace proxstream
