#include "proxstream/traffic/link_costs.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/find_row.hpp"
#include "core/simd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::array kForms{
    CostRow{"bpr", "bpr[:b=B,power=P]", "t_0 (1 + B (y/c)^power); default: B and power of the file"},
    CostRow{"polynomial", "polynomial:A0,A1,A2,..", "t_0 (A0 + A1 y/c + A2 (y/c)^2 + ..)"},
    CostRow{"queue", "queue[:cap=0.98]", "1/(c - y), continued smoothly beyond cap c"},
    CostRow{"davidson", "davidson[:j=0.25,cap=0.95]", "t_0 (1 + J u/(1 - u)), u = y/c, continued smoothly"},
    CostRow{"s-shape", "s-shape[:b=1,middle=1,width=0.1]",
            "t_0 (1 + B s((u - middle)/width)), s logistic: saturates, not convex"},
};

constexpr std::array kObjectives{
    CostRow{"system", "system", "total time of all trips"},
    CostRow{"user", "user", "the user equilibrium (Beckmann): no trip gains by changing its path"},
    CostRow{"delay", "delay", "total queueing delay, y/(c - y) a link: system with --cost queue"},
    CostRow{"utilisation", "utilisation[:power=8]", "sum of (y/c)^power: close to the largest utilisation"},
    CostRow{"unweighted", "unweighted", "the paper's sum over paths without demands as weights; not convex"},
};

void require(const Spec& spec, bool holds, const char* what) {
    if (!holds) throw ConfigError("'" + spec.text() + "': " + what);
}

constexpr Real kLargestWhole = 64;
bool is_whole(Real p) {
    return p >= 0 && p <= kLargestWhole && p == std::floor(p);
}

Real multiply_out(Real u, unsigned p) {
    Real result = 1;
    for (; p > 0; p >>= 1U) {
        if ((p & 1U) != 0) result *= u;
        u *= u;
    }
    return result;
}

/// u^p with its first two derivatives. At u = 0 a power below 1, or between 1 and 2, has an infinite
/// derivative; derivatives are then taken slightly to the right.
struct Power {
    Real value, first, second;
};
Power raise(Real u, Real p) {
    if (p == 0) return {1, 0, 0};
    if (p == 1) return {u, 1, 0};
    if (p == 4) {
        const Real square = u * u;
        return {square * square, 4 * square * u, 12 * square};
    }
    if (p >= 2) {
        const Real base = raise_to(u, p - 2);
        return {base * (u * u), p * (base * u), p * (p - 1) * base};
    }
    constexpr Real kLeast = 1e-12;
    const Real at = std::max(u, kLeast);
    const Real value = std::pow(at, p);
    const Real exact = u == at ? value : u > 0 ? std::pow(u, p) : 0;
    return {exact, p * value / at, p * (p - 1) * value / (at * at)};
}

/// One link of bpr form, with a whole power of at least 2.
struct BprLink {
    Real capacity, base, scale;
    unsigned power;
    bool user;  // objective: the time's integral, not the total time
};

/// term() for several loads side by side, with the same operations as bpr().
PROXSTREAM_CLONES void bpr_terms(const BprLink& link, const Real* loads, Index count,
                                 LinkCosts::Terms& terms) {
    const Real c = link.capacity;
    const auto p = static_cast<Real>(link.power);
    Real u[LinkCosts::kTogether];
    Real factor[LinkCosts::kTogether];
    Real low[LinkCosts::kTogether];  // u^(p - 2)
    for (Index k = 0; k < count; ++k) {
        u[k] = factor[k] = loads[k] / c;
        low[k] = 1;
    }
    for (unsigned rest = link.power - 2; rest > 0; rest >>= 1U) {
        if ((rest & 1U) != 0) {
            for (Index k = 0; k < count; ++k) low[k] *= factor[k];
        }
        for (Index k = 0; k < count; ++k) factor[k] *= factor[k];
    }
    for (Index k = 0; k < count; ++k) {
        const Real load = loads[k];
        const Real value = low[k] * (u[k] * u[k]);
        const Real time = link.base + link.scale * value;
        const Real slope = link.scale * (p * (low[k] * u[k])) / c;
        const Real bend = link.scale * (p * (p - 1) * low[k]) / (c * c);
        const Real integral = link.base * load + link.scale * value * load / (p + 1);
        terms.value[k] = link.user ? integral : load * time;
        terms.marginal[k] = link.user ? time : time + load * slope;
        terms.curvature[k] = link.user ? slope : 2 * slope + load * bend;
    }
}

void check_link(const Network& network, const Link& link) {
    const auto refuse = [&](std::string_view what, Real value, std::string_view allowed) {
        throw ConfigError(fmt::format("link {}-{}: {} = {} must be {}", network.node_name(link.from),
                                      network.node_name(link.to), what, value, allowed));
    };
    if (!(link.capacity > 0)) refuse("capacity", link.capacity, "positive");
    if (!(link.free_time >= 0 && link.free_time < kInfinity)) {
        refuse("free time", link.free_time, "finite and at least 0");
    }
}

void check_factor(Real factor) {
    if (factor > 0 && factor < kInfinity) return;
    throw ConfigError(fmt::format("capacity factor = {} must be finite and positive", factor));
}

}  // namespace

Real raise_to(Real u, Real p) {
    return is_whole(p) ? multiply_out(u, static_cast<unsigned>(p)) : std::pow(u, p);
}

std::span<const CostRow> link_cost_forms() {
    return kForms;
}

std::span<const CostRow> objectives() {
    return kObjectives;
}

Objective Objective::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    const CostRow& row = find_row(kObjectives, "objective", spec.name());
    Objective objective;
    if (row.name == "user") objective.kind = ObjectiveKind::user;
    if (row.name == "unweighted") objective.kind = ObjectiveKind::unweighted;
    if (row.name == "utilisation") {
        objective.kind = ObjectiveKind::utilisation;
        objective.power = spec.number_or(0, "power", objective.power);
        require(spec, objective.power >= 2 && objective.power <= 64, "power must lie in [2, 64]");
    }
    spec.finish();
    return objective;
}

std::string link_cost_form(std::string_view cost, std::string_view objective) {
    if (objective != "delay") return std::string(cost);
    if (cost == "bpr") return "queue";
    if (!cost.starts_with("queue")) {
        throw ConfigError("cost: the objective delay is made of queues; leave it out, or say queue[:cap=..]");
    }
    return std::string(cost);
}

LinkCosts::LinkCosts(const Network& network, std::string_view form, Objective objective, Factors factors)
    : objective_(objective) {
    const Spec spec = Spec::parse(form);
    const CostRow& row = find_row(kForms, "link cost", spec.name());
    for (const Link& link : network.all_links()) {
        check_link(network, link);
        file_capacity_.push_back(link.capacity);
        fixed_.push_back(factors.toll * link.toll + factors.distance * link.length);
        free_time_.push_back(link.free_time);
        b_.push_back(link.b);
        power_.push_back(link.power);
    }
    made_with_ = capacity_ = file_capacity_;
    const auto check_cap = [&] { require(spec, cap_ > 0 && cap_ < 1, "cap must lie in (0, 1)"); };
    if (row.name == "bpr") {
        if (spec.has("b")) std::fill(b_.begin(), b_.end(), spec.number(Spec::kByNameOnly, "b"));
        if (spec.has("power"))
            std::fill(power_.begin(), power_.end(), spec.number(Spec::kByNameOnly, "power"));
        for (Index i = 0; i < b_.size(); ++i) {
            require(spec, b_[i] >= 0 && power_[i] >= 0 && power_[i] <= 100,
                    "B must not be negative and power must lie in [0, 100]");
        }
    } else if (row.name == "polynomial") {
        form_ = Form::polynomial;
        coefficients_ = spec.numbers_from(0);
        require(spec,
                !coefficients_.empty() &&
                    std::all_of(coefficients_.begin(), coefficients_.end(), [](Real a) { return a >= 0; }),
                "coefficients are needed, none of them negative");
        require(spec, coefficients_.size() <= 32, "at most 32 coefficients");
    } else if (row.name == "queue") {
        form_ = Form::queue;
        cap_ = spec.number_or(0, "cap", 0.98);
        check_cap();
        service_.assign(capacity_.size(), 1);
    } else if (row.name == "davidson") {
        form_ = Form::queue;
        share_ = spec.number_or(0, "j", 0.25);
        cap_ = spec.number_or(1, "cap", 0.95);
        require(spec, share_ > 0 && share_ <= 1, "j must lie in (0, 1]");
        check_cap();
        // t_0 (1 + J u/(1-u)) = t_0 (1 - J) + t_0 J c / (c - y)
        for (Index i = 0; i < capacity_.size(); ++i) {
            fixed_[i] += free_time_[i] * (1 - share_);
            service_.push_back(free_time_[i] * share_ * capacity_[i]);
        }
    } else {
        form_ = Form::s_shape;
        std::fill(b_.begin(), b_.end(), spec.number_or(0, "b", 1));
        middle_ = spec.number_or(1, "middle", 1);
        width_ = spec.number_or(2, "width", 0.1);
        require(spec, b_.empty() || b_.front() >= 0, "b must not be negative");
        require(spec, middle_ > 0 && width_ > 0, "middle and width must be positive");
    }
    spec.finish();
    find_degrees();
}

void LinkCosts::find_degrees() {
    if (objective_.kind == ObjectiveKind::utilisation) {
        degrees_ = {objective_.power};
        return;
    }
    if (form_ != Form::bpr || objective_.kind == ObjectiveKind::unweighted) return;
    constexpr Index kMost = 8;
    std::vector<Real> found;
    std::vector<unsigned char> by_link;
    for (const Real power : power_) {
        // Powers between 0 and 2 need special derivatives near 0, see raise().
        if (power < 2 && power != 0 && power != 1) return;
        const auto at = std::find(found.begin(), found.end(), power + 1);
        by_link.push_back(static_cast<unsigned char>(at - found.begin()));
        if (at == found.end()) found.push_back(power + 1);
        if (found.size() > kMost) return;
    }
    degrees_ = std::move(found);
    degree_of_ = std::move(by_link);
}

void LinkCosts::scale_capacity(LinkIndex link, Real factor) {
    if (link >= links()) {
        throw ConfigError(fmt::format("link {} does not exist; there are {}, counted from 0", link, links()));
    }
    check_factor(factor);
    capacity_[link] = factor * file_capacity_[link];
    follow_capacity(link);
}

void LinkCosts::follow_capacity(LinkIndex link) {
    if (share_ > 0) service_[link] = free_time_[link] * share_ * capacity_[link];
}

void LinkCosts::scale_all(Real factor) {
    check_factor(factor);
    for (LinkIndex link = 0; link < capacity_.size(); ++link) {
        const Real now = capacity_[link] / file_capacity_[link];
        file_capacity_[link] = factor * made_with_[link];
        scale_capacity(link, now);
    }
}

void LinkCosts::serialise(StateArchive& archive) {
    archive.fixed("of the file", file_capacity_);
    archive.fixed("now", capacity_);
    if (!archive.reading()) return;
    for (LinkIndex link = 0; link < capacity_.size(); ++link) {
        archive.require(capacity_[link] > 0 && file_capacity_[link] > 0, "capacities above 0");
        follow_capacity(link);
    }
}

LinkTime LinkCosts::bpr(LinkIndex link, Real load) const {
    const Real c = capacity_[link];
    const Real u = load / c;
    const Power power = raise(u, power_[link]);
    const Real scale = free_time_[link] * b_[link];
    const Real base = fixed_[link] + free_time_[link];
    return {base * load + scale * power.value * load / (power_[link] + 1), base + scale * power.value,
            scale * power.first / c, scale * power.second / (c * c)};
}

LinkTime LinkCosts::polynomial(LinkIndex link, Real load) const {
    const Real c = capacity_[link];
    const Real u = load / c;
    LinkTime at;
    // Horner, from the highest power down; the integral's coefficients are a_k / (k + 1).
    for (Index k = coefficients_.size(); k-- > 0;) {
        at.bend = at.bend * u + 2 * at.slope;
        at.slope = at.slope * u + at.time;
        at.time = at.time * u + coefficients_[k];
        at.integral = at.integral * u + coefficients_[k] / static_cast<Real>(k + 1);
    }
    const Real scale = free_time_[link];
    return {(fixed_[link] + scale * at.integral) * load, fixed_[link] + scale * at.time, scale * at.slope / c,
            scale * at.bend / (c * c)};
}

LinkTime LinkCosts::queue(LinkIndex link, Real load) const {
    const Real c = capacity_[link];
    const Real s = service_[link];
    const Real inside = std::min(load, cap_ * c);
    const Real room = c - inside;
    const Real beyond = load - inside;
    const Real time = s / room;
    const Real slope = time / room;
    const Real bend = 2 * slope / room;
    LinkTime at{s * std::log(c / room), time, slope, bend};
    if (beyond > 0) {
        at.integral += beyond * (time + beyond * (slope / 2 + beyond * bend / 6));
        at.time += beyond * (slope + beyond * bend / 2);
        at.slope += beyond * bend;
    }
    at.integral += fixed_[link] * load;
    at.time += fixed_[link];
    return at;
}

LinkTime LinkCosts::s_shape(LinkIndex link, Real load) const {
    const Real c = capacity_[link];
    const auto softplus = [](Real z) { return std::max<Real>(z, 0) + std::log1p(std::exp(-std::abs(z))); };
    const Real z = (load / c - middle_) / width_;
    const Real s = 1 / (1 + std::exp(-z));
    const Real rise = s * (1 - s);
    const Real scale = free_time_[link] * b_[link];
    const Real base = fixed_[link] + free_time_[link];
    const Real length = c * width_;
    return {base * load + scale * length * (softplus(z) - softplus(-middle_ / width_)), base + scale * s,
            scale * rise / length, scale * rise * (1 - 2 * s) / (length * length)};
}

LinkTime LinkCosts::time(LinkIndex link, Real load) const {
    switch (form_) {
        case Form::bpr:
            return bpr(link, load);
        case Form::polynomial:
            return polynomial(link, load);
        case Form::queue:
            return queue(link, load);
        case Form::s_shape:
            return s_shape(link, load);
    }
    return {};
}

LinkTerm LinkCosts::term(LinkIndex link, Real load) const {
    if (objective_.kind == ObjectiveKind::utilisation) {
        const Real c = capacity_[link];
        const Power power = raise(load / c, objective_.power);
        return {power.value, power.first / c, power.second / (c * c)};
    }
    const LinkTime at = time(link, load);
    if (objective_.kind == ObjectiveKind::user) return {at.integral, at.time, at.slope};
    return {load * at.time, at.time + load * at.slope, 2 * at.slope + load * at.bend};
}

void LinkCosts::terms(LinkIndex link, ConstView loads, Terms& terms) const {
    if (loads.size() > kTogether) {
        throw ConfigError(fmt::format("{} loads at a time; at most {}", loads.size(), kTogether));
    }
    const bool of_times = objective_.kind != ObjectiveKind::utilisation;
    if (form_ == Form::bpr && of_times && power_[link] >= 2 && is_whole(power_[link])) {
        const BprLink bpr{capacity_[link], fixed_[link] + free_time_[link], free_time_[link] * b_[link],
                          static_cast<unsigned>(power_[link]), objective_.kind == ObjectiveKind::user};
        bpr_terms(bpr, loads.data(), loads.size(), terms);
        return;
    }
    for (Index k = 0; k < loads.size(); ++k) {
        const LinkTerm one = term(link, loads[k]);
        terms.value[k] = one.value;
        terms.marginal[k] = one.marginal;
        terms.curvature[k] = one.curvature;
    }
}

TermParts LinkCosts::parts(LinkIndex link, Real load) const {
    if (objective_.kind == ObjectiveKind::utilisation) return {{}, term(link, load)};
    const Real c = capacity_[link];
    const Power power = raise(load / c, power_[link]);
    const Real scale = free_time_[link] * b_[link];
    const Real base = fixed_[link] + free_time_[link];
    const Real time = scale * power.value;
    const Real slope = scale * power.first / c;
    const LinkTerm linear{base * load, base, 0};
    if (objective_.kind == ObjectiveKind::user)
        return {linear, {time * load / (power_[link] + 1), time, slope}};
    return {linear, {load * time, time + load * slope, 2 * slope + load * (scale * power.second / (c * c))}};
}

bool LinkCosts::convex() const noexcept {
    if (objective_.kind == ObjectiveKind::unweighted) return false;
    if (objective_.kind == ObjectiveKind::utilisation || objective_.kind == ObjectiveKind::user) return true;
    return form_ != Form::s_shape;
}

std::vector<Real> LinkCosts::free_times() const {
    std::vector<Real> times(links());
    for (LinkIndex link = 0; link < times.size(); ++link) times[link] = time(link, 0).time;
    return times;
}

std::vector<Real> LinkCosts::search_times(std::vector<std::string>& notes) const {
    std::vector<Real> times = free_times();
    if (!times.empty() && std::all_of(times.begin(), times.end(), [](Real each) { return each == 0; })) {
        std::fill(times.begin(), times.end(), 1);
        notes.emplace_back("links have no times: paths are the ones with the fewest links");
    }
    return times;
}

}  // namespace proxstream
