#include "loss/factors_family.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"
#include "loss/scalar_formulas.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace proxstream {
namespace {

/// Larger numbers are taken for mistakes; (M + N) rank cannot overflow.
constexpr Index kLargest = Index{1} << 40;

using Numbers = std::array<Real, 2>;

Numbers numbers_of(const RowBlock& record, Index row) {
    Numbers numbers;
    write_row(record, row, numbers);
    return numbers;
}

/// Where the factors of an entry begin in x.
struct Entry {
    Index u;
    Index v;
};

/// The place of `number` among `count` that begin with `first`.
std::optional<Index> place(Real number, Index first, Index count) {
    const Real from_zero = number - static_cast<Real>(first);
    const bool known =
        from_zero >= 0 && from_zero < static_cast<Real>(count) && from_zero == std::floor(from_zero);
    if (!known) return std::nullopt;
    return static_cast<Index>(from_zero);
}

std::optional<Entry> entry(const FactorsOptions& options, const Numbers& numbers) {
    const auto row = place(numbers[0], options.first, options.rows);
    const auto column = place(numbers[1], options.first, options.columns);
    if (!row || !column) return std::nullopt;
    return Entry{*row * options.rank, (options.rows + *column) * options.rank};
}

}  // namespace

FactorsFamily::FactorsFamily(FactorsOptions options) : options_(options) {
    Violations violations;
    const auto require = [&](const char* what, Index value) {
        violations.require(value != 0,
                           "factors: {} has to be at least 1; where the data are not known beforehand, say "
                           "how many with {}=",
                           what, what);
        violations.require(value <= kLargest, "factors: {} is at most {}", what, kLargest);
    };
    require("rank", options_.rank);
    require("rows", options_.rows);
    require("columns", options_.columns);
    violations.require(options_.first <= 1, "factors: first is 0 or 1");
    violations.require(options_.rank <= (Index{1} << 16), "factors: rank is at most 65536");
    violations.conclude();
    check_parameters(options_.loss);
}

std::string FactorsFamily::row_problem(const RowBlock& record, Index row) const {
    const Numbers numbers = numbers_of(record, row);
    const auto describe = [&](const char* what, Real number, Index count) -> std::string {
        if (place(number, options_.first, count)) return {};
        return std::string(what) + " number " + format_short(number) + " is not a whole number from " +
               std::to_string(options_.first) + " to " + std::to_string(options_.first + count - 1);
    };
    const std::string problem = describe("row", numbers[0], options_.rows);
    return problem.empty() ? describe("column", numbers[1], options_.columns) : problem;
}

Real FactorsFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& /*scratch*/) const {
    const auto at = entry(options_, numbers_of(record, row));
    if (!at) return std::numeric_limits<Real>::quiet_NaN();
    return dot(x.subspan(at->u, options_.rank), x.subspan(at->v, options_.rank));
}

bool FactorsFamily::probabilities(const RowBlock& record, Index row, ConstView x, View out,
                                  Scratch& scratch) const {
    return has_probabilities() && sign_probabilities(predict(record, row, x, scratch), out);
}

Real FactorsFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                         Scratch& /*scratch*/) const {
    check_lengths(x, gradient);
    fill(gradient, 0);
    const Index rank = options_.rank;
    return formulas::visit(options_.loss, [&](auto formula) {
        Real total = 0;
        for (const RecordRows& record : records) {
            const Real share = record.share;
            for (Index row = 0; row < record.rows; ++row) {
                Numbers numbers;
                record.write(row, numbers);
                const auto at = entry(options_, numbers);
                if (!at) return std::numeric_limits<Real>::quiet_NaN();
                const ConstView u = x.subspan(at->u, rank);
                const ConstView v = x.subspan(at->v, rank);
                const LossPoint point = formula(dot(u, v), record.targets[row]);
                total += share * point.value;
                if (gradient.empty()) continue;
                axpy(share * point.slope, v, gradient.subspan(at->u, rank));
                axpy(share * point.slope, u, gradient.subspan(at->v, rank));
            }
        }
        return total;
    });
}

void FactorsFamily::start(View x, std::uint64_t seed) const {
    const Real spread = 1 / std::sqrt(static_cast<Real>(options_.rank));
    for (Index i = 0; i < x.size(); ++i) x[i] = spread * normal({.seed = seed, .sample = i});
}

}  // namespace proxstream
