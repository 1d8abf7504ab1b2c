#include "loss/linear_family.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "loss/row_kernels.hpp"
#include "loss/scalar_formulas.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace proxstream {
namespace {

/// Adds rows in the order given. Dense rows are read in blocks, so that the second read (for the gradient)
/// finds them in the nearest cache. If rows come from memory, each is read the second time while the next one
/// arrives, from a copy if there is room for one.
template <bool kGradient, class Loss>
class Pass {
  public:
    Pass(Loss loss, Index features, std::span<const RecordRows> records, ConstView x, View gradient,
         View room)
        : loss_(loss), weights_(x.first(features)), room_(room), has_intercept_(x.size() > features) {
        for (const RecordRows& record : records) {
            numbers_ = record.pass_work > 0 ? record.pass_work : numbers_ + record.rows * record.stride;
        }
        if (has_intercept_) intercept_ = x[features];
        if constexpr (kGradient) {
            fill(gradient, 0);
            gradient_ = gradient.first(features);
        }
    }

    void add(const RecordRows& record) {
        if (record.sparse != nullptr) {
            finish(rows_);
            finish(singles_);
            for (Index row = 0; row < record.rows; ++row) {
                add_sparse_row(*record.sparse, record.first + row, record.share);
            }
        } else if (record.single != nullptr) {
            finish(rows_);
            add_dense_rows(record, record.single, singles_);
        } else {
            finish(singles_);
            add_dense_rows(record, record.dense, rows_);
        }
    }

    Real finish(View gradient) {
        finish(rows_);
        finish(singles_);
        if constexpr (kGradient) {
            if (has_intercept_) gradient.back() = totals_.slope;
        }
        return totals_.value;
    }

  private:
    /// A block of rows of one kind, not yet full.
    template <class Number>
    struct Held {
        Index count = 0;
        // Not initialised: that would cost a pass over a single row.
        const Number* rows[kernels::kMostRows];
        Real targets[kernels::kMostRows];
        Real shares[kernels::kMostRows];
    };
    struct Totals {
        Real value = 0;
        Real slope = 0;  // along the intercept
    };

    /// Counts one row's loss and returns its share of the gradient along the row.
    Real count(Real product, Real target, Real share, Totals& totals) const {
        const LossPoint point = loss_(product + intercept_, target);
        totals.value += share * point.value;
        if constexpr (!kGradient) return 0;
        const Real slope = share * point.slope;
        totals.slope += slope;
        return slope;
    }

    template <class Number>
    void add_dense_rows(const RecordRows& record, const Number* first, Held<Number>& held) {
        if (weights_.empty()) {  // an intercept alone
            for (Index row = 0; row < record.rows; ++row) {
                count(0, record.targets[row], record.share, totals_);
            }
            return;
        }
        plan_ = kernels::plan_blocks<Number>(record.stride, numbers_);
        if constexpr (kGradient && std::is_same_v<Number, Real>) {
            if (plan_.streams) {
                if (held.count > 0) flush(held);
                stream(record);
                return;
            }
        }
        settle();
        Index row = 0;
        if (held.count == 0) {  // whole blocks need no copy
            for (; row + plan_.rows <= record.rows; row += plan_.rows) {
                const Number* rows[kernels::kMostRows];
                for (Index i = 0; i < plan_.rows; ++i) rows[i] = first + (row + i) * record.stride;
                add_block<Number>({rows, plan_.rows}, record.targets + row,
                                  [&](Index) { return record.share; });
            }
        }
        for (; row < record.rows; ++row) {
            held.rows[held.count] = first + row * record.stride;
            held.targets[held.count] = record.targets[row];
            held.shares[held.count] = record.share;
            if (++held.count >= plan_.rows) flush(held);
        }
    }

    /// Called before rows of another kind, to keep the order.
    template <class Number>
    void finish(Held<Number>& held) {
        settle();
        if (held.count > 0) flush(held);
    }

    void stream(const RecordRows& record) {
        for (Index i = 0; i < record.rows; ++i) {
            const Real product = next_product(record.dense + i * record.stride);
            scored_slope_ = count(product, record.targets[i], record.share, totals_);
        }
    }
    /// The product of a row, which becomes the scored one. Adds the row before to the gradient.
    Real next_product(const Real* row) {
        const Real* const before = std::exchange(scored_, row);
        if (before == nullptr) return kernels::dot_row(row, weights_);
        if (!plan_.keeps || room_.empty()) {
            return kernels::dot_and_add(row, weights_, scored_slope_, before, gradient_);
        }
        scored_ = room_.data();
        return kernels::dot_add_and_keep(row, weights_, scored_slope_, before, room_.data(), gradient_);
    }
    void settle() {
        if (scored_ != nullptr) kernels::add_row(scored_slope_, scored_, gradient_);
        scored_ = nullptr;
    }

    template <class Number>
    void flush(Held<Number>& held) {
        add_block<Number>({held.rows, held.count}, held.targets, [&](Index i) { return held.shares[i]; });
        held.count = 0;
    }

    template <class Number, class Share>
    void add_block(std::span<const Number* const> rows, const Real* targets, Share share) {
        Real numbers[kernels::kMostRows];  // products, then slopes
        kernels::dot_rows(rows, weights_, plan_, !kGradient, numbers);
        Totals totals = totals_;  // a copy in registers
        for (Index i = 0; i < rows.size(); ++i) {
            numbers[i] = count(numbers[i], targets[i], share(i), totals);
        }
        totals_ = totals;
        if constexpr (kGradient) kernels::add_rows(numbers, rows, plan_, false, gradient_);
    }

    void add_sparse_row(const RowBlock& record, Index row, Real share) {
        const auto indices = record.indices(row);
        const ConstView values = record.values(row);
        const Real product = kernels::dot_sparse(indices, values, weights_);
        const Real slope = count(product, record.target(row), share, totals_);
        if constexpr (kGradient) kernels::add_sparse(slope, indices, values, gradient_);
    }

    Loss loss_;
    ConstView weights_;
    View gradient_;
    View room_;
    bool has_intercept_;
    Real intercept_ = 0;
    Totals totals_;
    Index numbers_ = 0;  // in all rows of the pass
    kernels::BlockPlan plan_;
    Held<Real> rows_;
    Held<float> singles_;
    const Real* scored_ = nullptr;  // the row whose share of the gradient is still to be added
    Real scored_slope_ = 0;
};

/// A whole pass over one row, the usual case of streams; the same bits as Pass.
template <bool kGradient, class Loss>
Real one_row(Loss loss, Index features, const RecordRows& record, ConstView x, View gradient) {
    const Real intercept = x.size() > features ? x[features] : 0;
    const LossPoint point =
        loss(kernels::dot_row(record.dense, x.first(features)) + intercept, record.targets[0]);
    if constexpr (kGradient) {
        const Real slope = record.share * point.slope;
        fill(gradient, 0);
        kernels::add_row(slope, record.dense, gradient.first(features));
        if (x.size() > features) gradient[features] += slope;
    }
    return 0 + record.share * point.value;  // never -0, as sums are not
}

template <bool kGradient, class Loss>
Real run_pass(Loss loss, Index features, std::span<const RecordRows> records, ConstView x, View gradient,
              View room) {
    if (records.size() == 1 && records[0].rows == 1 && records[0].dense != nullptr) {
        return one_row<kGradient>(loss, features, records[0], x, gradient);
    }
    Pass<kGradient, Loss> pass(loss, features, records, x, gradient, room);
    for (const RecordRows& record : records) pass.add(record);
    return pass.finish(gradient);
}

[[gnu::always_inline]] inline Real run_pass(const ScalarLoss& loss, Index features,
                                            std::span<const RecordRows> records, ConstView x, View gradient,
                                            View room) {
    return formulas::visit(loss, [&](auto formula) {
        return gradient.empty() ? run_pass<false>(formula, features, records, x, gradient, room)
                                : run_pass<true>(formula, features, records, x, gradient, room);
    });
}

/// Whether a pass over sparse rows should work on pairs (kernels::Paired). It pays if coordinates are not
/// cached and most are read more than once.
bool worth_pairing(Index features, std::span<const RecordRows> records) {
    constexpr Index kFar = Index{1} << 19U;
    constexpr Index kOften = 2;
    if (features < kFar) return false;
    Index stored = 0;
    for (const RecordRows& record : records) {
        if (record.sparse == nullptr) return false;
        stored += record.sparse->stored(record.first, record.rows);
    }
    return stored >= kOften * features;
}

template <class Loss>
Real paired_pass(Loss loss, Index features, std::span<const RecordRows> records, ConstView x, View gradient,
                 std::span<kernels::Paired> pairs) {
    for (Index i = 0; i < features; ++i) pairs[i] = {.x = x[i]};
    const Real intercept = x.size() > features ? x[features] : 0;
    Real total = 0;
    Real total_slope = 0;
    for (const RecordRows& record : records) {
        const std::span<const FeatureIndex> all = record.sparse->all_indices();
        for (Index row = record.first; row < record.first + record.rows; ++row) {
            const auto indices = record.sparse->indices(row);
            const ConstView values = record.sparse->values(row);
            const auto coming = all.subspan(static_cast<Index>(indices.data() - all.data()) + indices.size());
            const Real product = kernels::dot_paired(indices, values, coming, pairs);
            const LossPoint point = loss(product + intercept, record.sparse->target(row));
            const Real slope = record.share * point.slope;
            total += record.share * point.value;
            total_slope += slope;
            kernels::add_paired(slope, indices, values, pairs);
        }
    }
    for (Index i = 0; i < features; ++i) gradient[i] = pairs[i].sum;
    if (x.size() > features) gradient[features] = total_slope;
    return total;
}

/// Whether a pass is long enough to work on copies of x and of the sums. The copies start on a cache line,
/// which wide loads should not straddle.
bool worth_placing(std::span<const RecordRows> records) {
    constexpr Index kManyRows = 16;
    Index dense = 0;
    for (const RecordRows& record : records) {
        if (record.sparse == nullptr) dense += record.rows;
        if (dense >= kManyRows) return true;
    }
    return false;
}

constexpr Index kPage = 4096;  // bytes

/// Room whose offset within a page differs from that of the rows by `bytes`. Processors delay loads whose
/// offset equals that of a pending store, whatever the page.
View place_off(std::span<const RecordRows> records, std::uintptr_t bytes, Index count,
               Scratch::Frame& frame) {
    constexpr Index kLine = 64;
    const View room = frame.take(count + kPage / sizeof(Real));
    const auto address = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place); };
    const void* rows = records.front().dense;
    if (rows == nullptr) rows = records.front().single;
    const std::uintptr_t off = address(rows) + bytes - address(room.data());
    return room.subspan(off % kPage / kLine * kLine / sizeof(Real), count);
}

constexpr Index kShortRow = 64;

[[gnu::noinline]] Real placed_pass(const ScalarLoss& loss, Index features,
                                   std::span<const RecordRows> records, ConstView x, View gradient,
                                   Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View point = frame.take(x.size());
    copy(x, point);
    if (gradient.empty()) return run_pass(loss, features, records, point, gradient, {});
    const View sums = place_off(records, kPage / 2, gradient.size(), frame);
    const View room = place_off(records, kPage / 4, features, frame);
    const Real value = run_pass(loss, features, records, point, sums, room);
    copy(sums, gradient);
    return value;
}

}  // namespace

LinearFamily::LinearFamily(ScalarLoss loss, Index features, bool intercept)
    : loss_(loss), features_(features), intercept_(intercept) {
    check_parameters(loss);
    if (dimension() == 0) throw ConfigError("a linear model needs at least one feature or an intercept");
}

Real LinearFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                        Scratch& scratch) const {
    check_lengths(x, gradient);
    if (!gradient.empty() && worth_pairing(features_, records)) {
        Scratch::Frame frame(scratch);
        const std::span<kernels::Paired> pairs = frame.take<kernels::Paired>(features_);
        return formulas::visit(loss_, [&](auto formula) {
            return paired_pass(formula, features_, records, x, gradient, pairs);
        });
    }
    if (features_ >= kShortRow && worth_placing(records)) {
        return placed_pass(loss_, features_, records, x, gradient, scratch);
    }
    return run_pass(loss_, features_, records, x, gradient, {});
}

bool LinearFamily::add_curvature(const RecordRows& record, View matrix) const {
    const bool concave = loss_.formula == ScalarFormula::negative_square;
    if (!concave && loss_.formula != ScalarFormula::squared) return false;
    const Index n = dimension();
    const Real share = concave ? -record.share : record.share;
    const auto row_of = [&](Index i) { return matrix.subspan(i * n, n); };
    const auto add = [&](Index row, Index i, Real value) {
        record.add(row, share * value, row_of(i).first(features_));
        if (!intercept_) return;
        row_of(i).back() += share * value;
        row_of(n - 1)[i] += share * value;
    };
    for (Index row = 0; row < record.rows; ++row) {
        if (record.sparse != nullptr) {
            const auto indices = record.sparse->indices(record.first + row);
            const ConstView values = record.sparse->values(record.first + row);
            for (Index k = 0; k < values.size(); ++k) add(row, indices[k], values[k]);
        } else {
            for (Index i = 0; i < features_; ++i) add(row, i, record.value(row, i));
        }
        if (intercept_) matrix.back() += share;
    }
    return true;
}

Real LinearFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& /*scratch*/) const {
    const ConstView weights = x.first(features_);
    const Real product = record.sparse()
                             ? kernels::dot_sparse(record.indices(row), record.values(row), weights)
                             : dot(record.values(row), weights);
    return product + (intercept_ ? x.back() : 0);
}

bool LinearFamily::probabilities(const RowBlock& record, Index row, ConstView x, View out,
                                 Scratch& scratch) const {
    return has_probabilities() && sign_probabilities(predict(record, row, x, scratch), out);
}

ScoredRows LinearFamily::scored(const RowBlock& rows) const {
    rows_of(rows, features_);  // checks that it fits
    std::vector<Real> scales(rows.rows(), 1);
    if (target_kind() == TargetKind::sign) {
        for (Index row = 0; row < scales.size(); ++row) scales[row] = std::abs(rows.target(row));
    }
    for (Index row = 0; row < scales.size(); ++row) scales[row] *= std::sqrt(rows.weight(row));
    return {rows, features_, intercept_, curvature_bound(loss_), std::move(scales)};
}

std::optional<Real> LinearFamily::smoothness(const RowBlock& record) const {
    return proxstream::smoothness(scored(record));
}

std::optional<Real> LinearFamily::mean_square_smoothness(const RowBlock& record) const {
    return proxstream::mean_square_smoothness(scored(record));
}

std::optional<DataSmoothness> LinearFamily::data_smoothness(const RowBlock& rows) const {
    return proxstream::data_smoothness(scored(rows));
}

void LinearFamily::start(View x, std::uint64_t /*seed*/) const {
    const bool stationary_at_zero = loss_.formula == ScalarFormula::negative_square;
    fill(x, stationary_at_zero ? 1 / std::sqrt(static_cast<Real>(x.size())) : 0);
}

}  // namespace proxstream
