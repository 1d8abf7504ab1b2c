#include "online/selector.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/find_row.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr std::array kRows{
    SelectorRow{
        "adashare", "adashare[:switches=4,draws=coupled]",
        "weights that track the best member through switches; no scale to set, the bound is measured"},
    SelectorRow{"hedge", "hedge[:rate=R | range=1,rounds=10000]", "exponential weights at one rate"},
    SelectorRow{"leader", "leader[:discount=0.98,margin=0.3]",
                "the least discounted loss, changed only by a margin; no draws, no guarantee"},
    SelectorRow{"mean", "mean[:tau=0.01]",
                "AdaShare's mean of all members while (L/2) variance <= tau, else a drawn member"},
};

/// Keeps these draws apart from those of the members' own rules.
constexpr std::uint32_t kBank = 0x62616e6b;

/// Shares begin at one in so many: spread over everybody in the first rounds, weight would mostly go to
/// members that are no good.
constexpr Real kGracePeriod = 1000;

/// Below this every loss has been the same so far and any rate is as good.
constexpr Real kSmallest = 1e-300;

}  // namespace

std::span<const SelectorRow> Selector::rows() {
    return kRows;
}

Selector::Options Selector::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    const std::string name(find_row(kRows, "play", spec.name()).name);
    Options options;
    std::vector<std::string> violations;
    const auto require = [&](bool holds, const char* what) {
        if (!holds) violations.push_back("play '" + spec.text() + "': " + what);
    };
    const auto number = [&](const char* key, Real fallback) {
        return spec.number_or(Spec::kByNameOnly, key, fallback);
    };
    if (name == "hedge") {
        options.kind = Kind::hedge;
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
        options.kind = Kind::leader;
        options.discount = number("discount", options.discount);
        options.margin = number("margin", options.margin);
        require(options.discount > 0 && options.discount <= 1, "discount must lie in (0, 1]");
        require(options.margin >= 0 && options.margin < kInfinity, "margin must be finite and not negative");
    } else {
        options.switches = number("switches", options.switches);
        require(options.switches >= 0 && options.switches <= 1e6, "switches must be from 0 to 1e6");
        if (name == "mean") {
            options.mean = true;
            options.tau = number("tau", 0.01);
            require(options.tau >= 0 && options.tau < kInfinity, "tau must be finite and not negative");
        }
    }
    const std::string draws = spec.word_or("draws", "coupled");
    require(draws == "coupled" || draws == "fresh", "draws is coupled or fresh");
    options.coupled = draws == "coupled";
    if (!violations.empty()) throw ConfigError(std::move(violations));
    spec.finish();
    return options;
}

Selector::Selector(const Options& options, Index members, std::uint64_t seed)
    : options_(options), seed_(seed) {
    if (members == 0) throw ConfigError("a bank needs at least one member");
    if (options_.kind == Kind::hedge && options_.rate == 0) {
        // The rate of the worst case over that many rounds; a single member makes any rate as good.
        const Real complexity = std::log(static_cast<Real>(std::max<Index>(members, 2)));
        options_.rate = std::sqrt(8 * complexity / options_.rounds) / options_.range;
    }
    now_.weights.assign(members, 1 / static_cast<Real>(members));
    now_.logarithms.assign(members, -std::log(static_cast<Real>(members)));
    now_.discounted.assign(members, 0);
    before_ = now_;
    // The leader starts with the member in the middle; a draw decides for the others.
    if (options_.kind == Kind::leader) {
        now_.in_charge = members / 2;
    } else {
        now_.in_charge = static_cast<Index>(
            uniform_below({.seed = seed_, .round = 0, .record = kBank, .step = 0, .sample = 0}, members));
    }
}

void Selector::update(ConstView losses) {
    assert(losses.size() == now_.weights.size());
    before_ = now_;
    ++now_.round;
    if (options_.kind == Kind::leader) {
        follow_leader(losses);
        return;
    }
    share_weights(losses);
    draw();
}

void Selector::take_back() {
    std::swap(now_, before_);
}

/// AdaShare (docs/theory.md): q ~ p exp(-eps l), then a share al of the weight is spread evenly. The share
/// falls as 1/(t+1000), so that no horizon has to be known, and 1/eps never falls, which is all the proof
/// needs. Hedge is the case of a fixed rate and no share.
void Selector::share_weights(ConstView losses) {
    const auto members = static_cast<Real>(losses.size());
    if (options_.kind == Kind::hedge) {
        now_.scale = 1 / options_.rate;
        now_.share = 0;
    } else {
        now_.share = 1 / (static_cast<Real>(now_.round) + kGracePeriod);
        const Real complexity = (options_.switches + 1) * std::log(members / now_.share);  // C
        now_.scale = std::max({now_.scale, now_.mixability / complexity, kSmallest});
    }
    const Real least = *std::min_element(losses.begin(), losses.end());
    Real average = 0;  // <p, l - least>
    Real highest = -kInfinity;
    for (Index k = 0; k < losses.size(); ++k) {
        const Real above = losses[k] - least;
        average += now_.weights[k] * above;
        if (now_.weights[k] > 0) now_.logarithms[k] = std::log(now_.weights[k]);
        now_.logarithms[k] -= above / now_.scale;
        highest = std::max(highest, now_.logarithms[k]);
    }
    Real total = 0;
    for (const Real each : now_.logarithms) total += std::exp(each - highest);
    const Real mixed = highest + std::log(total);  // ln sum p exp(-eps (l - least)) = -eps (m - least)
    now_.mixability += std::max(Real{0}, average + now_.scale * mixed);
    for (Index k = 0; k < losses.size(); ++k) {
        now_.logarithms[k] -= mixed;
        now_.weights[k] = (1 - now_.share) * std::exp(now_.logarithms[k]) + now_.share / members;
    }
}

void Selector::draw() {
    const Draw draw{.seed = seed_, .round = now_.round, .record = kBank, .step = 0, .sample = 0};
    const Real chance = uniform(draw);
    const Real stay = before_.weights[now_.in_charge];
    // Maximal coupling: k_t follows p_t exactly and changes no more often than the weights do.
    if (options_.coupled && chance * stay < now_.weights[now_.in_charge]) return;
    Draw second = draw;
    second.step = 1;
    Real total = 0;
    const auto gain = [&](Index k) {
        return options_.coupled ? std::max(Real{0}, now_.weights[k] - before_.weights[k]) : now_.weights[k];
    };
    for (Index k = 0; k < now_.weights.size(); ++k) total += gain(k);
    Real left = uniform(second) * total;
    for (Index k = 0; k < now_.weights.size(); ++k) {
        left -= gain(k);
        if (gain(k) > 0 && left < 0) {
            now_.in_charge = k;
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
    const Real lead = now_.discounted[now_.in_charge] - now_.discounted[best];
    if (lead > options_.margin * now_.spread / now_.rounds) now_.in_charge = best;
    std::fill(now_.weights.begin(), now_.weights.end(), 0);
    now_.weights[now_.in_charge] = 1;
}

void Selector::State::exchange(Checkpoint& checkpoint) {
    checkpoint.fixed("weights", weights);
    checkpoint.fixed("logarithms", logarithms);
    checkpoint.fixed("discounted", discounted);
    checkpoint.exchange("mixability", mixability);
    checkpoint.exchange("scale", scale);
    checkpoint.exchange("share", share);
    checkpoint.exchange("spread", spread);
    checkpoint.exchange("rounds", rounds);
    checkpoint.exchange("in charge", in_charge, weights.size() - 1);
    checkpoint.exchange("round", round);
}

void Selector::exchange(Checkpoint& checkpoint) {
    checkpoint.part("now", now_);
    checkpoint.part("before", before_);
}

}  // namespace proxstream
