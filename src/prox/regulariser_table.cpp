#include "proxstream/prox/regulariser_table.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/affine.hpp"
#include "proxstream/prox/balls.hpp"
#include "proxstream/prox/box.hpp"
#include "proxstream/prox/capped_simplex.hpp"
#include "proxstream/prox/combinators.hpp"
#include "proxstream/prox/group.hpp"
#include "proxstream/prox/norms.hpp"
#include "proxstream/prox/nuclear_norm.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/total_variation.hpp"

#include "core/find_row.hpp"
#include "core/violations.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace proxstream {
namespace {

AnyRegulariser parse_sum(std::string_view text);
std::vector<std::string> split_terms(std::string_view text);

AnyRegulariser nested(const Spec& spec, Index position) {
    return parse_sum(spec.word(position, "of"));
}

/// One number by position or under `key`, or a list under the key `list`.
Coefficients coefficients(const Spec& spec, Index position, std::string_view key, std::string_view list) {
    std::vector<Real> each = spec.numbers(list);
    if (!each.empty()) return each;
    return spec.number(position, key);
}

/// Bounds, where a list may stand under the same key as the number.
Coefficients bound(const Spec& spec, Index position, std::string_view key, const Real* fallback) {
    if (spec.has(key)) {
        std::vector<Real> each = spec.numbers(key);
        return each.size() == 1 ? Coefficients(each[0]) : Coefficients(std::move(each));
    }
    return fallback == nullptr ? spec.number(position, key) : spec.number_or(position, key, *fallback);
}

Index to_count(Real number, std::string_view what) {
    constexpr Real kLargest = 9007199254740992.0;  // beyond it not every integer is a double
    if (number >= 0 && number <= kLargest && number == std::floor(number)) return static_cast<Index>(number);
    throw ConfigError(fmt::format("{} = {} must be a whole number, at least 0", what, number));
}

BlockLayout layout(const Spec& spec) {
    const std::vector<Real> sizes = spec.numbers("sizes");
    if (sizes.empty()) return BlockLayout::uniform(spec.count("size"));
    if (spec.has("size")) throw ConfigError("give 'size=' or 'sizes=', not both");
    std::vector<Index> counts;
    for (const Real size : sizes) counts.push_back(to_count(size, "sizes"));
    return BlockLayout::of_sizes(counts);
}

GroupL2 group(const Spec& spec) {
    // The weight of all groups comes first; `weights=` multiplies it group by group.
    const Real common = spec.number(0, "weight");
    std::vector<Real> each = spec.numbers("weights");
    if (each.empty()) return {common, layout(spec)};
    checked_weights(common, "weight");
    for (Real& weight : each) weight *= common;
    return {std::move(each), layout(spec)};
}

AnyRegulariser make_blocks(const Spec& spec) {
    const std::string inner = spec.word(0, "of");
    if (const Spec simplex = Spec::parse(inner);
        simplex.name() == "simplex" && split_terms(inner).size() == 1) {
        std::vector<Real> radii = spec.numbers("radii");
        const Real common = simplex.number_or(0, "radius", 1);
        simplex.finish();
        if (radii.empty()) return AnyRegulariser(SimplexProduct(layout(spec), common));
        if (simplex.positional_count() > 0 || simplex.has("radius")) {
            throw ConfigError("give a radius inside the parentheses or 'radii=', not both");
        }
        return AnyRegulariser(SimplexProduct(layout(spec), std::move(radii)));
    }
    return AnyRegulariser(Blocks(layout(spec), parse_sum(inner)));
}

AnyRegulariser make_scaled(const Spec& spec) {
    const Real factor = spec.number(0, "factor");
    return AnyRegulariser(Scaled(factor, nested(spec, 1)));
}

AnyRegulariser make_translated(const Spec& spec) {
    std::vector<Real> by = spec.numbers("by");
    return AnyRegulariser(Translated(std::move(by), nested(spec, 0)));
}

AnyRegulariser make_sliced(const Spec& spec) {
    const Index begin = to_count(spec.number(0, "begin"), "begin");
    const Index end = to_count(spec.number(1, "end"), "end");
    return AnyRegulariser(Sliced(begin, end, nested(spec, 2)));
}

constexpr Real kZero = 0;

// Rows: name, usage, formula, cost, help, maker.

std::vector<RegulariserRow> penalties() {
    return {
        {"zero", "zero", "0", "O(n)", "no regularisation",
         [](const Spec&) { return AnyRegulariser(Zero{}); }},
        {"linear", "linear:0.5 | linear:slopes=1;2;3", "sum c_i x_i", "O(n)",
         "a slope, common or per coordinate",
         [](const Spec& s) { return AnyRegulariser(Linear(coefficients(s, 0, "slope", "slopes"))); }},
        {"l1", "l1:0.01 | l1:weights=1;2;3", "sum w_i |x_i|", "O(n)", "lasso: sparse coordinates",
         [](const Spec& s) { return AnyRegulariser(L1Norm(coefficients(s, 0, "weight", "weights"))); }},
        {"nonneg-l1", "nonneg-l1:0.01 | nonneg-l1:weights=1;2;3", "sum w_i x_i, x >= 0", "O(n)",
         "sparse and non-negative coordinates",
         [](const Spec& s) {
             return AnyRegulariser(
                 Composed(L1Norm(coefficients(s, 0, "weight", "weights")), Box::non_negative()));
         }},
        {"l2", "l2:0.1", "w |x|", "O(n)", "all coordinates vanish together",
         [](const Spec& s) { return AnyRegulariser(L2Norm(s.number(0, "weight"))); }},
        {"l2sq", "l2sq:0.1", "(w/2) |x|^2", "O(n)", "ridge: small coordinates",
         [](const Spec& s) { return AnyRegulariser(L2Squared(s.number(0, "weight"))); }},
        {"elastic", "elastic:0.1,0.2", "l1 |x|_1 + (l2/2) |x|^2", "O(n)", "elastic net",
         [](const Spec& s) {
             return AnyRegulariser(ElasticNet(L2Squared(s.number(1, "l2")), L1Norm(s.number(0, "l1"))));
         }},
        {"linf", "linf:0.1", "w max |x_i|", "O(n)", "coordinates share one largest size",
         [](const Spec& s) { return AnyRegulariser(LInfinityNorm(s.number(0, "weight"))); }},
        {"group", "group:0.1,size=4 | group:0.1,sizes=3;4;5,weights=1;2;1", "w sum_k w_k |x_k|", "O(n)",
         "group lasso, without implicit size weights",
         [](const Spec& s) { return AnyRegulariser(group(s)); }},
        {"sparse-group", "sparse-group:0.1,0.05,size=4", "w sum_k w_k |x_k| + l1 |x|_1", "O(n)",
         "sparse groups and sparse coordinates in them",
         [](const Spec& s) { return AnyRegulariser(SparseGroup(L1Norm(s.number(1, "l1")), group(s))); }},
        {"tv", "tv:0.1", "w sum |x_{i+1} - x_i|", "O(n)", "total variation: piecewise constant",
         [](const Spec& s) { return AnyRegulariser(TotalVariation(s.number(0, "weight"))); }},
        {"fused", "fused:0.1,0.05", "w sum |x_{i+1} - x_i| + l1 |x|_1", "O(n)",
         "fused lasso: sparse and piecewise constant",
         [](const Spec& s) {
             return AnyRegulariser(
                 FusedLasso(TotalVariation(s.number(0, "weight")), L1Norm(s.number(1, "l1"))));
         }},
        {"nuclear", "nuclear:0.1,rows=3,cols=4", "w sum of singular values", "O(n min(rows, cols))",
         "low rank; x is a matrix, row after row",
         [](const Spec& s) {
             return AnyRegulariser(NuclearNorm(s.number(0, "weight"), s.count("rows"), s.count("cols")));
         }},
    };
}

std::vector<RegulariserRow> sets() {
    return {
        {"box", "box:-1,1 | box:lo=0;0,hi=1;inf", "lo <= x <= hi", "O(n)", "bounds, possibly infinite",
         [](const Spec& s) {
             return AnyRegulariser(Box(bound(s, 0, "lo", nullptr), bound(s, 1, "hi", nullptr)));
         }},
        {"nonneg", "nonneg", "x >= 0", "O(n)", "non-negative coordinates",
         [](const Spec&) { return AnyRegulariser(Box::non_negative()); }},
        {"simplex", "simplex | simplex:2", "x >= 0, sum x = r", "O(n)", "shares of a whole",
         [](const Spec& s) { return AnyRegulariser(Simplex(s.number_or(0, "radius", 1))); }},
        {"capped-simplex", "capped-simplex:sum=1,lo=0,hi=0.5", "lo <= x <= hi, sum x = s",
         "O(n) a pass, a few passes", "shares with bounds",
         [](const Spec& s) {
             return AnyRegulariser(CappedSimplex(s.number_or(0, "sum", 1), bound(s, 1, "lo", &kZero),
                                                 bound(s, 2, "hi", &kInfinity)));
         }},
        {"l1ball", "l1ball:1", "|x|_1 <= r", "O(n)", "bounded sum of sizes",
         [](const Spec& s) { return AnyRegulariser(L1Ball(s.number(0, "radius"))); }},
        {"l2ball", "l2ball:1", "|x| <= r", "O(n)", "bounded length",
         [](const Spec& s) { return AnyRegulariser(L2Ball(s.number(0, "radius"))); }},
        {"linfball", "linfball:1", "max |x_i| <= r", "O(n)", "bounded sizes",
         [](const Spec& s) { return AnyRegulariser(Box::linf_ball(s.number(0, "radius"))); }},
        {"hyperplane", "hyperplane:a=1;2;3,b=1", "a.x = b", "O(n)", "one linear equation",
         [](const Spec& s) {
             return AnyRegulariser(AffineSet::hyperplane(s.numbers("a"), s.number(0, "b")));
         }},
        {"halfspace", "halfspace:a=1;2;3,b=1", "a.x <= b", "O(n)", "one linear inequality",
         [](const Spec& s) { return AnyRegulariser(HalfSpace(s.numbers("a"), s.number(0, "b"))); }},
        {"affine", "affine:a=1;1;0;0;1;-1,b=1;0", "A x = b", "O(n rank A)",
         "linear equations; A is given row after row",
         [](const Spec& s) { return AnyRegulariser(AffineSet(s.numbers("a"), s.numbers("b"))); }},
    };
}

std::vector<RegulariserRow> combinators() {
    return {
        {"blocks",
         "blocks:(simplex),sizes=3;4;5 | blocks:(simplex),sizes=2;3,radii=1;4 | blocks:(l2ball:1),size=4",
         "sum_k g(x_k)", "the sum of the blocks'", "the same g on each of consecutive blocks", make_blocks},
        {"scale", "scale:2,(l1:0.1)", "c g(x)", "as g", "a positive multiple", make_scaled},
        {"shift", "shift:by=1;2,(l1:0.1)", "g(x - by)", "as g, plus O(n)", "g around another point",
         make_translated},
        {"slice", "slice:0,10,(l1:0.1)", "g(x[begin, end))", "as g, plus O(n)",
         "g on some coordinates, nothing on the others", make_sliced},
    };
}

/// Built-in rows first. Made on first use, so that static initialisers of other units can register.
std::vector<RegulariserRow>& table() {
    static std::vector<RegulariserRow> all = [] {
        std::vector<RegulariserRow> rows = penalties();
        for (const auto& more : {sets(), combinators()}) rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }();
    return all;
}

/// A plus sign joins terms unless it is the sign of a number or of its exponent.
std::vector<std::string> split_terms(std::string_view text) {
    constexpr int kDeepest = 16;  // each level is a call of the parser
    std::vector<std::string> terms;
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    int depth = 0;
    Index begin = 0;
    for (Index i = 0; i < text.size(); ++i) {
        if (text[i] == '(' && ++depth > kDeepest) {
            throw ConfigError(fmt::format("parentheses are nested more than {} deep", kDeepest));
        }
        if (text[i] == ')' && --depth < 0) break;
        if (text[i] != '+' || depth != 0) continue;
        Index before = i;
        while (before > begin && is_space(text[before - 1])) --before;
        Index after = i + 1;
        while (after < text.size() && is_space(text[after])) ++after;
        const bool ends_term =
            before == begin || std::string_view(",:=;/").find(text[before - 1]) == std::string_view::npos;
        const bool starts_term = after == text.size() || text[after] == '(' || text[after] == '+' ||
                                 std::isalpha(static_cast<unsigned char>(text[after])) != 0;
        if (!ends_term || !starts_term) continue;
        terms.emplace_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    if (depth != 0) throw ConfigError(fmt::format("'{}': the parentheses do not match", text));
    terms.emplace_back(text.substr(begin));
    return terms;
}

/// The violations with the text they belong to in front, where it is not there yet.
ConfigError located(const ConfigError& error, std::string_view text) {
    std::vector<std::string> violations;
    for (const std::string& violation : error.violations()) {
        violations.push_back(violation.starts_with('\'') ? violation
                                                         : fmt::format("'{}': {}", text, violation));
    }
    return ConfigError(std::move(violations));
}

AnyRegulariser parse_term(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first != std::string_view::npos && text[first] == '(') {
        const auto last = text.find_last_not_of(" \t");
        if (text[last] != ')') throw ConfigError(fmt::format("'{}': the parentheses do not match", text));
        return parse_sum(text.substr(first + 1, last - first - 1));
    }
    const Spec spec = Spec::parse(text);
    const RegulariserRow& row = find_row(table(), "regulariser", spec.name(), kPluginHint);
    try {
        AnyRegulariser g = row.make(spec);
        spec.finish();
        return g;
    } catch (const ConfigError& error) {
        throw located(error, spec.text());
    }
}

AnyRegulariser parse_sum(std::string_view text) {
    std::vector<AnyRegulariser> terms;
    std::vector<std::string> violations;
    for (const std::string& part : split_terms(text)) {
        try {
            terms.push_back(parse_term(part));
        } catch (const ConfigError& error) {
            violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        }
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    if (terms.size() == 1) return terms.front();
    try {
        return add(terms);
    } catch (const ConfigError& error) {
        throw located(error, text);
    }
}

}  // namespace

std::span<const RegulariserRow> regularisers() {
    return table();
}

void register_regulariser(std::string name, std::string usage, std::string help,
                          std::function<AnyRegulariser(const Spec& spec)> make) {
    add_row(table(), "regulariser",
            RegulariserRow{.name = std::move(name),
                           .usage = std::move(usage),
                           .formula = {},
                           .cost = {},
                           .help = std::move(help),
                           .make = std::move(make)});
}

AnyRegulariser parse_regulariser(std::string_view text) {
    return parse_sum(text);
}

AnyRegulariser on_first(AnyRegulariser g, Index count, Index dimension) {
    if (count == dimension) return g;
    return AnyRegulariser(Sliced<AnyRegulariser>(0, count, std::move(g)));
}

}  // namespace proxstream
