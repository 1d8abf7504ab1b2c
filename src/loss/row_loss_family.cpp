#include "loss/row_loss_family.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

/// A registered loss reads every feature, so sparse rows are written out.
ConstView dense_features(const RowBlock& record, Index row, View room) {
    if (!record.sparse()) return record.values(row);
    write_row(record, row, room);
    return room;
}

ConstView dense_features(const RecordRows& record, Index row, View room) {
    if (record.dense != nullptr) return {record.dense + row * record.stride, room.size()};
    record.write(row, room);
    return room;
}

/// The sum over the rows of power(bound of a row's smoothness); nullopt if a row has no bound.
template <class Power>
std::optional<Real> sum_of_bounds(const RowLoss& loss, const RowBlock& record, Index features, Power power) {
    std::vector<Real> room(features);
    Real total = 0;
    for (Index row = 0; row < record.rows(); ++row) {
        const auto bound = loss.smoothness(dense_features(record, row, room));
        if (!bound) return std::nullopt;
        total += power(record.weight(row) * *bound);
    }
    return total / static_cast<Real>(record.rows());
}

}  // namespace

void RowLoss::start(View x, std::uint64_t /*seed*/) const {
    fill(x, 0);
}

RowLossFamily::RowLossFamily(std::string_view name, std::shared_ptr<const RowLoss> loss, Index features)
    : loss_(std::move(loss)), features_(features), dimension_(loss_ == nullptr ? 0 : loss_->dimension()) {
    const auto refuse = [&](const std::string& why) {
        throw ConfigError("loss '" + std::string(name) + "': " + why);
    };
    if (loss_ == nullptr) refuse("its maker returned nothing");
    if (dimension_ == 0) refuse("dimension() is 0; x has at least one coordinate");
    if (loss_->penalised() > dimension_) {
        refuse("penalised() is " + std::to_string(loss_->penalised()) + "; at most dimension(), which is " +
               std::to_string(dimension_));
    }
    if (loss_->target_kind() == TargetKind::category && loss_->classes() < 2) {
        refuse("classes() is " + std::to_string(loss_->classes()) + "; a loss of categories has at least 2");
    }
}

Real RowLossFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    return loss_->predict(dense_features(record, row, frame.take(features_)), x);
}

std::optional<Real> RowLossFamily::smoothness(const RowBlock& record) const {
    return sum_of_bounds(*loss_, record, features_, [](Real bound) { return bound; });
}

std::optional<Real> RowLossFamily::mean_square_smoothness(const RowBlock& record) const {
    const auto mean = sum_of_bounds(*loss_, record, features_, [](Real bound) { return bound * bound; });
    return mean ? std::optional(std::sqrt(*mean)) : std::nullopt;
}

std::exception_ptr RowLossFamily::take_failure() const {
    const std::scoped_lock lock(failure_->mutex);
    return std::exchange(failure_->first, nullptr);
}

/// An exception in the middle of a pass would leave a learner half updated, so the loss becomes NaN instead.
Real RowLossFamily::row_loss(ConstView features, Real target, ConstView x, View gradient) const {
    try {
        return loss_->value_and_gradient(features, target, x, gradient);
    } catch (...) {
        const std::scoped_lock lock(failure_->mutex);
        if (!failure_->first) failure_->first = std::current_exception();
    }
    fill(gradient, std::numeric_limits<Real>::quiet_NaN());
    return std::numeric_limits<Real>::quiet_NaN();
}

Real RowLossFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                         Scratch& scratch) const {
    assert(x.size() == dimension_ && (gradient.empty() || gradient.size() == dimension_));
    Scratch::Frame frame(scratch);
    const View features = frame.take(features_);
    const View of_row = frame.take(dimension_);
    fill(gradient, 0);
    Real total = 0;
    for (const RecordRows& record : records) {
        for (Index row = 0; row < record.rows; ++row) {
            total += record.share *
                     row_loss(dense_features(record, row, features), record.targets[row], x, of_row);
            if (!gradient.empty()) axpy(record.share, of_row, gradient);
        }
    }
    return total;
}

Index RowLossFamily::work(Index rows, Index stored) const {
    return std::max(stored, rows * (features_ + dimension_));
}

}  // namespace proxstream
