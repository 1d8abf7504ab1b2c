/// Every form of a link's time and every objective against closed forms, finite differences and quadrature.
#include "proxstream/traffic/link_costs.hpp"

#include "proxstream/core/error.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Network network_of(const std::vector<Link>& links) {
    Network network;
    network.node("a");
    network.node("b");
    for (Link link : links) {
        link.to = 1;
        network.add_link(link);
    }
    return network;
}

/// Links with what real files have: powers of every kind, capacities of 1 with tiny B, connectors without
/// time.
std::vector<Link> awkward_links() {
    return {{.capacity = 10, .length = 3, .free_time = 2, .b = 0.15, .power = 4, .toll = 5},
            {.capacity = 7, .free_time = 1.5, .b = 0, .power = 0},
            {.capacity = 7, .free_time = 1.5, .b = 0.5, .power = 0},
            {.capacity = 3, .free_time = 0.7, .b = 2, .power = 1},
            {.capacity = 5, .free_time = 1, .b = 1, .power = 0.5},
            {.capacity = 5, .free_time = 1, .b = 1, .power = 1.7},
            {.capacity = 5, .free_time = 1, .b = 1, .power = 2},
            {.capacity = 1, .free_time = 0.9, .b = 4e-71, .power = 16.83},
            {.capacity = 4, .free_time = 0, .b = 0.15, .power = 4}};
}

/// Where loads of a link matter: a link whose B belongs to capacity 1 carries thousands.
Real busy(const Link& link) {
    return link.b < 1e-20 && link.b > 0 ? 9000 : link.capacity;
}

constexpr LinkCosts::Factors kFactors{0.02, 0.04};

Real fixed_part(const Link& link) {
    return kFactors.toll * link.toll + kFactors.distance * link.length;
}

/// t as the formula of each form says it, below the cap of queues.
struct Form {
    std::string text;
    std::function<Real(const Link&, Real)> time;
    Real most = 2;  // loads up to so much of the busy load
};

std::vector<Form> forms() {
    return {
        {"bpr",
         [](const Link& e, Real y) { return e.free_time * (1 + e.b * std::pow(y / e.capacity, e.power)); }},
        {"bpr:b=0.3,power=2.5",
         [](const Link& e, Real y) { return e.free_time * (1 + 0.3 * std::pow(y / e.capacity, 2.5)); }},
        {"polynomial:1,0,0.5,0.25",
         [](const Link& e, Real y) {
             const Real u = y / e.capacity;
             return e.free_time * (1 + 0.5 * u * u + 0.25 * u * u * u);
         }},
        {"polynomial:3", [](const Link& e, Real) { return 3 * e.free_time; }},
        {"queue", [](const Link& e, Real y) { return 1 / (e.capacity - y); }, 0.97},
        {"queue:0.5", [](const Link& e, Real y) { return 1 / (e.capacity - y); }, 0.49},
        {"davidson:j=0.4,cap=0.9",
         [](const Link& e, Real y) {
             const Real u = y / e.capacity;
             return e.free_time * (1 + 0.4 * u / (1 - u));
         },
         0.89},
        {"s-shape:b=2,middle=0.8,width=0.2",
         [](const Link& e, Real y) {
             const Real u = y / e.capacity;
             return e.free_time * (1 + 2 * (1 + std::tanh((u - 0.8) / 0.4)) / 2);
         }},
    };
}

/// Simpson's rule.
Real integral(const std::function<Real(Real)>& f, Real from, Real to) {
    constexpr int kParts = 4000;
    const Real h = (to - from) / kParts;
    Real sum = f(from) + f(to);
    for (int i = 1; i < kParts; ++i) sum += (i % 2 == 0 ? 2 : 4) * f(from + h * i);
    return sum * h / 3;
}

void expect_close(Real found, Real wanted, Real relative, const std::string& what) {
    EXPECT_NEAR(found, wanted, relative * std::max<Real>(std::abs(wanted), 1e-9)) << what;
}

/// Value, first and second derivative along the load, each against differences of the one before.
void expect_derivatives(const std::function<std::vector<Real>(Real)>& at, Real load, Real scale,
                        const std::string& what) {
    const Real h = 1e-5 * std::max(load, 1e-2 * scale);
    const std::vector<Real> here = at(load);
    const std::vector<Real> up = at(load + h);
    const std::vector<Real> down = at(load - h);
    for (Index i = 0; i + 1 < here.size(); ++i) {
        const Real slope = (up[i] - down[i]) / (2 * h);
        const Real noise = 1e-15 * std::abs(here[i]) / h;
        EXPECT_NEAR(here[i + 1], slope, 2e-7 * std::abs(slope) + 10 * noise + 1e-12)
            << what << ", derivative " << i + 1 << " at load " << load;
    }
}

TEST(LinkCosts, TimesAreThoseOfTheFormulaWithItsDerivativesAndIntegral) {
    const std::vector<Link> links = awkward_links();
    const Network network = network_of(links);
    for (const Form& form : forms()) {
        const LinkCosts costs(network, form.text, {}, kFactors);
        for (LinkIndex e = 0; e < links.size(); ++e) {
            const Real scale = form.text == "bpr" ? busy(links[e]) : links[e].capacity;
            const std::string what = form.text + ", link " + std::to_string(e);
            const auto time = [&](Real y) { return fixed_part(links[e]) + form.time(links[e], y); };
            for (const Real part : {0.0, 1e-6, 0.1, 0.37, 0.8, 1.0, 1.4, 2.0}) {
                const Real load = part * scale;
                if (part > form.most) continue;
                const LinkTime at = costs.time(e, load);
                expect_close(at.time, time(load), 1e-13, what + " at load " + std::to_string(load));
                EXPECT_TRUE(std::isfinite(at.slope) && std::isfinite(at.bend)) << what;
                EXPECT_GE(at.slope, 0) << what;
                if (part >= 0.1) {
                    expect_close(at.integral, integral(time, 0, load), 1e-6, what + ", integral");
                    const auto derivatives = [&](Real y) {
                        const LinkTime t = costs.time(e, y);
                        return std::vector<Real>{t.integral, t.time, t.slope, t.bend};
                    };
                    expect_derivatives(derivatives, load, scale, what);
                }
            }
            EXPECT_EQ(costs.time(e, 0).integral, 0) << what;
        }
    }
}

TEST(LinkCosts, BatchesEqualSingleTerms) {
    std::vector<Link> links = awkward_links();
    for (const Real power : {3.0, 5.0, 7.0, 16.0, 64.0})
        links.push_back({.capacity = 6, .length = 2, .free_time = 1.3, .b = 0.4, .power = power, .toll = 1});
    const Network network = network_of(links);
    for (const char* objective : {"system", "user", "utilisation"}) {
        for (const Form& form : forms()) {
            const LinkCosts costs(network, form.text, Objective::parse(objective), kFactors);
            for (LinkIndex e = 0; e < links.size(); ++e) {
                for (const Index count : {Index{1}, Index{6}, Index{24}, LinkCosts::kTogether}) {
                    std::vector<Real> loads(count);
                    for (Index k = 0; k < count; ++k)
                        loads[k] = 2 * busy(links[e]) * static_cast<Real>(k) / static_cast<Real>(count);
                    LinkCosts::Terms terms;
                    costs.terms(e, loads, terms);
                    for (Index k = 0; k < count; ++k) {
                        const LinkTerm one = costs.term(e, loads[k]);
                        EXPECT_EQ(terms.value[k], one.value) << form.text << ", link " << e;
                        EXPECT_EQ(terms.marginal[k], one.marginal) << form.text << ", link " << e;
                        EXPECT_EQ(terms.curvature[k], one.curvature) << form.text << ", link " << e;
                    }
                }
            }
        }
    }
}

TEST(LinkCosts, APowerBelowOneIsExactDownToTheSmallestLoads) {
    const Network network = network_of({{.capacity = 1, .free_time = 1, .b = 1, .power = 0.5}});
    const LinkCosts costs(network, "bpr", {}, {});
    for (const Real load : {1e-40, 1e-20, 1e-13, 1e-12, 1e-11, 1e-4}) {
        expect_close(costs.time(0, load).time - 1, std::sqrt(load), 1e-7 + 1e-15 / std::sqrt(load), "time");
        expect_close(costs.time(0, load).integral, load + load * std::sqrt(load) / 1.5, 1e-13, "integral");
    }
}

TEST(LinkCosts, ATinyBWithAHugePowerIsNotLost) {
    const Network network = network_of({{.capacity = 1, .free_time = 2, .b = 4e-71, .power = 16.83}});
    const LinkCosts costs(network, "bpr", Objective::parse("user"), {});
    // 4e-71 * 9000^16.83 = 10^(log10(4) - 71 + 16.83 * log10(9000))
    const Real factor = std::pow(10.0, std::log10(4.0) - 71 + 16.83 * std::log10(9000.0));
    EXPECT_GT(factor, 1e-5);
    expect_close(costs.time(0, 9000).time, 2 * (1 + factor), 1e-12, "time");
    expect_close(costs.time(0, 9000).slope, 2 * factor * 16.83 / 9000, 1e-11, "slope");
    expect_close(costs.term(0, 9000).value, 2 * 9000 * (1 + factor / 17.83), 1e-12, "Beckmann");
}

TEST(LinkCosts, WholePowersAreThoseOfPow) {
    for (Real power = 0; power <= 70; power += 0.5) {
        for (const Real u : {0.0, 1e-9, 0.3, 0.97, 1.0, 1.7, 40.0}) {
            expect_close(raise_to(u, power), std::pow(u, power), 1e-14 * (power + 1), "raised");
            if (power > 64) continue;
            const Network network = network_of({{.capacity = 1, .free_time = 1, .b = 1, .power = power}});
            const LinkCosts costs(network, "bpr", {}, {});
            const LinkTime at = costs.time(0, u);
            expect_close(at.time, 1 + std::pow(u, power), 1e-14 * (power + 1), "time");
            if (power < 2) continue;
            expect_close(at.slope, power * std::pow(u, power - 1), 1e-14 * (power + 1), "slope");
            expect_close(at.bend, power * (power - 1) * std::pow(u, power - 2), 1e-14 * (power + 1), "bend");
        }
    }
}

/// term(s y) = s linear(y) + s^degree power(y), and so its derivatives in y.
TEST(LinkCosts, PartsGrowWithTheirDegree) {
    std::vector<Link> links = {
        {.capacity = 10, .length = 3, .free_time = 2, .b = 0.15, .power = 4, .toll = 5},
        {.capacity = 7, .free_time = 1.5, .b = 0.5, .power = 0},
        {.capacity = 3, .free_time = 0.7, .b = 2, .power = 1},
        {.capacity = 5, .free_time = 1, .b = 1, .power = 2.5},
        {.capacity = 4, .free_time = 0, .b = 0.15, .power = 4}};
    const Network network = network_of(links);
    for (const char* objective : {"system", "user", "utilisation:power=5", "utilisation:power=3.5"}) {
        const LinkCosts costs(network, "bpr", Objective::parse(objective), kFactors);
        ASSERT_EQ(costs.degrees().size(), std::string(objective).starts_with("util") ? 1U : 4U);
        for (LinkIndex e = 0; e < links.size(); ++e) {
            const Real degree = costs.degrees()[costs.degree_of(e)];
            for (const Real load : {0.0, 0.4, 3.0, 11.0}) {
                const TermParts parts = costs.parts(e, load);
                for (const Real s : {0.01, 0.7, 1.0, 1.02, 3.0}) {
                    const std::string what = std::string(objective) + ", link " + std::to_string(e);
                    const LinkTerm term = costs.term(e, s * load);
                    const Real more = std::pow(s, degree);
                    expect_close(term.value, s * parts.linear.value + more * parts.power.value, 1e-13, what);
                    expect_close(s * term.marginal, s * parts.linear.marginal + more * parts.power.marginal,
                                 1e-13, what);
                    expect_close(s * s * term.curvature, more * parts.power.curvature, 1e-13, what);
                }
            }
        }
    }
    // Where that does not hold nothing is claimed.
    for (const Form& form : forms()) {
        if (form.text.starts_with("bpr:")) continue;
        EXPECT_TRUE(LinkCosts(network_of(awkward_links()), form.text, {}, kFactors).degrees().empty())
            << form.text;
    }
    for (Index i = 0; i < 9; ++i) links.push_back({.b = 1, .power = 5.5 + static_cast<Real>(i)});
    EXPECT_TRUE(LinkCosts(network_of(links), "bpr", {}, {}).degrees().empty()) << "too many of them";
}

TEST(LinkCosts, QueuesContinueSmoothlyBeyondTheirCap) {
    const std::vector<Link> links = {{.capacity = 3, .free_time = 2}, {.capacity = 800, .free_time = 0.1}};
    const Network network = network_of(links);
    for (const char* form : {"queue:0.98", "queue:0.6", "davidson:0.3,0.95"}) {
        const LinkCosts costs(network, form, {}, {});
        const Real cap = std::string(form) == "queue:0.98"  ? 0.98
                         : std::string(form) == "queue:0.6" ? 0.6
                                                            : 0.95;
        for (LinkIndex e = 0; e < 2; ++e) {
            const Real c = links[e].capacity;
            const LinkTime inside = costs.time(e, cap * c * (1 - 1e-10));
            const LinkTime outside = costs.time(e, cap * c * (1 + 1e-10));
            expect_close(inside.integral, outside.integral, 1e-7, "integral at the cap");
            expect_close(inside.time, outside.time, 1e-7, "time at the cap");
            expect_close(inside.slope, outside.slope, 1e-7, "slope at the cap");
            expect_close(inside.bend, outside.bend, 1e-7, "bend at the cap");
            const auto time = [&](Real y) { return costs.time(e, y).time; };
            LinkTime before = costs.time(e, cap * c);
            for (const Real part : {1.0, 1.3, 2.0, 5.0}) {
                const LinkTime at = costs.time(e, part * c);
                EXPECT_GT(at.time, before.time);
                EXPECT_GT(at.slope, before.slope);
                EXPECT_DOUBLE_EQ(at.bend, before.bend) << "a polynomial of degree 2";
                expect_close(at.integral, integral(time, 0, cap * c) + integral(time, cap * c, part * c),
                             1e-9, "integral");
                const auto derivatives = [&](Real y) {
                    const LinkTime t = costs.time(e, y);
                    return std::vector<Real>{t.integral, t.time, t.slope, t.bend};
                };
                expect_derivatives(derivatives, part * c, c, form);
                before = at;
            }
        }
    }
}

TEST(LinkCosts, TermsMatchTheirObjective) {
    const std::vector<Link> links = awkward_links();
    const Network network = network_of(links);
    for (const Form& form : forms()) {
        for (const char* objective : {"system", "delay", "user", "utilisation", "utilisation:power=3"}) {
            const LinkCosts costs(network, form.text, Objective::parse(objective), kFactors);
            for (LinkIndex e = 0; e < links.size(); ++e) {
                const std::string name = objective;
                const Real scale = form.text == "bpr" ? busy(links[e]) : links[e].capacity;
                for (const Real part : {0.0, 0.2, 0.7, 0.95, 1.2}) {
                    const Real load = part * scale;
                    const LinkTerm term = costs.term(e, load);
                    const LinkTime time = costs.time(e, load);
                    Real wanted = load * time.time;
                    if (name == "user") wanted = time.integral;
                    if (name.starts_with("utilisation"))
                        wanted = std::pow(load / links[e].capacity, name == "utilisation" ? 8 : 3);
                    expect_close(term.value, wanted, 1e-12, form.text + ", " + name);
                    ASSERT_TRUE(std::isfinite(term.marginal) && std::isfinite(term.curvature));
                    if (costs.convex()) {
                        EXPECT_GE(term.curvature, 0) << form.text << ", " << name << " at " << load;
                    }
                    if (part == 0) continue;
                    const auto derivatives = [&](Real y) {
                        const LinkTerm at = costs.term(e, y);
                        return std::vector<Real>{at.value, at.marginal, at.curvature};
                    };
                    expect_derivatives(derivatives, load, scale, form.text + ", " + name);
                }
            }
        }
    }
}

TEST(LinkCosts, ConvexityIsDeclaredCorrectly) {
    const Network network = network_of(awkward_links());
    const auto convex = [&](const char* form, const char* objective) {
        return LinkCosts(network, form, Objective::parse(objective), {}).convex();
    };
    EXPECT_TRUE(convex("bpr", "system"));
    EXPECT_TRUE(convex("davidson", "system"));
    EXPECT_TRUE(convex("s-shape", "user"));  // times increase
    EXPECT_TRUE(convex("s-shape", "utilisation"));
    EXPECT_FALSE(convex("bpr", "unweighted"));
    EXPECT_FALSE(convex("s-shape", "system"));
    // y t(y) of an S bends down behind its middle: 2 t' + y t'' < 0 there.
    const LinkCosts s_shape(network, "s-shape:b=2", Objective::parse("system"), {});
    EXPECT_LT(s_shape.term(0, 1.3 * 10).curvature, 0);
    EXPECT_GT(s_shape.term(0, 0.9 * 10).curvature, 0);
}

TEST(LinkCosts, UtilisationBoundsTheLargestOne) {
    const Network network = network_of(awkward_links());
    const LinkCosts costs(network, "bpr", Objective::parse("utilisation:power=16"), {});
    Real sum = 0;
    Real largest = 0;
    for (LinkIndex e = 0; e < costs.links(); ++e) {
        const Real load = costs.capacity(e) * (0.3 + 0.07 * static_cast<Real>(e));
        sum += costs.term(e, load).value;
        largest = std::max(largest, load / costs.capacity(e));
    }
    const Real root = std::pow(sum, 1.0 / 16);
    EXPECT_GE(root, largest);
    EXPECT_LE(root, std::pow(static_cast<Real>(costs.links()), 1.0 / 16) * largest);
}

TEST(LinkCosts, AScaledCapacityIsThatOfANetworkBuiltWithIt) {
    for (const char* form : {"bpr", "polynomial:1,2,3", "queue", "davidson:j=0.4", "s-shape"}) {
        const std::vector<Link> links = awkward_links();
        LinkCosts costs(network_of(links), form, {}, kFactors);
        std::vector<Link> narrow = links;
        narrow[0].capacity *= 0.25;
        narrow[3].capacity *= 1.5;
        const LinkCosts wanted(network_of(narrow), form, {}, kFactors);
        costs.scale_capacity(0, 0.5);
        costs.scale_capacity(0, 0.25);  // of the file, not of what it was
        costs.scale_capacity(3, 1.5);
        const auto expect_equal = [&](const LinkCosts& found, const LinkCosts& other, Real relative) {
            for (LinkIndex e = 0; e < links.size(); ++e) {
                EXPECT_EQ(found.file_capacity(e), links[e].capacity * (relative > 0 ? 1.3 : 1));
                for (const Real part : {0.0, 0.2, 0.9, 1.5}) {
                    const LinkTime a = found.time(e, part * links[e].capacity);
                    const LinkTime b = other.time(e, part * links[e].capacity);
                    expect_close(a.integral, b.integral, relative, form);
                    expect_close(a.time, b.time, relative, form);
                    expect_close(a.slope, b.slope, relative, form);
                    expect_close(a.bend, b.bend, relative, form);
                }
            }
        };
        expect_equal(costs, wanted, 0);
        // All capacities together, during an incident; and again, from the file's.
        std::vector<Link> wide = narrow;
        for (Link& link : wide) link.capacity *= 1.3;
        costs.scale_all(7);
        costs.scale_all(1.3);
        expect_equal(costs, LinkCosts(network_of(wide), form, {}, kFactors), 1e-12);
        for (const LinkIndex e : {0U, 3U}) costs.scale_capacity(e, 1);
        std::vector<Link> whole = links;
        for (Link& link : whole) link.capacity *= 1.3;
        expect_equal(costs, LinkCosts(network_of(whole), form, {}, kFactors), 1e-12);
    }
}

TEST(LinkCosts, WrongTextsAreRefusedByName) {
    const Network network = network_of(awkward_links());
    const auto refusal = [&](const char* form, const char* objective) -> std::string {
        try {
            const LinkCosts costs(network, form, Objective::parse(objective), {});
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal("bpr", "system"), "");
    for (const auto& [form, part] : {std::pair{"bprr", "bpr"},
                                     {"bpr:b=-1", "negative"},
                                     {"bpr:power=101", "[0, 100]"},
                                     {"bpr:c=2", "c"},
                                     {"polynomial", "coefficients"},
                                     {"polynomial:1,-1", "negative"},
                                     {"queue:cap=1", "(0, 1)"},
                                     {"queue:cap=0", "(0, 1)"},
                                     {"davidson:j=0", "(0, 1]"},
                                     {"davidson:j=1.5", "(0, 1]"},
                                     {"s-shape:width=0", "positive"},
                                     {"s-shape:b=-1", "negative"},
                                     {"queue:cap=nan", "cap"}}) {
        EXPECT_NE(refusal(form, "system").find(part), std::string::npos)
            << form << ": " << refusal(form, "system");
    }
    for (const auto& [objective, part] : {std::pair{"fastest", "system"},
                                          {"utilisation:power=1", "[2, 64]"},
                                          {"utilisation:power=65", "[2, 64]"},
                                          {"user:1", "1"}}) {
        EXPECT_NE(refusal("bpr", objective).find(part), std::string::npos)
            << objective << ": " << refusal("bpr", objective);
    }
    for (const CostRow& row : link_cost_forms()) EXPECT_FALSE(row.usage.empty() || row.help.empty());
    for (const CostRow& row : objectives()) {
        EXPECT_NO_THROW(Objective::parse(row.name)) << row.name;
        EXPECT_FALSE(row.help.empty());
    }
}

}  // namespace
}  // namespace proxstream
