#include "proxstream/loss/mlp_family.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "loss/scalar_formulas.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

namespace proxstream {
namespace {

using Columns = Eigen::Map<Eigen::MatrixXd>;  // a column a row of data
using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Weights = Eigen::Map<const RowMajor>;
using WeightSlopes = Eigen::Map<RowMajor>;
using Biases = Eigen::Map<const Eigen::VectorXd>;
using BiasSlopes = Eigen::Map<Eigen::VectorXd>;

/// Rows worked on at a time: enough for the matrix products, small enough for the caches. Fixed, so that
/// results do not depend on how the store is laid out.
constexpr Index kTile = 64;

Eigen::Index signed_size(Index size) {
    return static_cast<Eigen::Index>(size);
}

/// The activation and its derivative at z.
LossPoint activate(Activation activation, Real z) {
    switch (activation) {
        case Activation::sigmoid: {
            const formulas::Sigmoids sigmoids(z);
            return {sigmoids.complement, sigmoids.s * sigmoids.complement};
        }
        case Activation::softplus: {
            const LossPoint point = formulas::Logistic::at(-z);  // log(1 + exp(z))
            return {point.value, -point.slope};
        }
        case Activation::gelu: {
            const Real below = std::erfc(-z / std::numbers::sqrt2) / 2;  // P(N(0,1) <= z)
            const Real density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
            return {z * below, below + z * density};
        }
        case Activation::tanh:
            break;
    }
    const Real value = std::tanh(z);
    return {value, 1 - value * value};
}

/// Cross-entropy of softmax(outputs) against a class; outputs become share times the gradient. NaN if the
/// target is no class.
Real softmax_loss(View outputs, Real target, Real share) {
    const bool known =
        target >= 0 && target < static_cast<Real>(outputs.size()) && target == std::floor(target);
    if (!known) return std::numeric_limits<Real>::quiet_NaN();
    const Real largest = *std::max_element(outputs.begin(), outputs.end());
    const Index right = static_cast<Index>(target);
    const Real distance = largest - outputs[right];
    Real total = 0;
    for (Real& output : outputs) {
        output = std::exp(output - largest);
        total += output;
    }
    for (Real& output : outputs) output *= share / total;
    outputs[right] -= share;
    return std::log(total) + distance;
}

/// The network at one x, with room for kTile rows.
class Network {
  public:
    Network(const MlpOptions& options, std::span<const MlpFamily::Layer> layers, ConstView x, Index rows,
            bool with_slopes, Scratch::Frame& frame)
        : options_(options), layers_(layers), x_(x), room_(std::min(rows, kTile)), with_slopes_(with_slopes) {
        levels_ = frame.take<Level>(layers.size() + 1);
        levels_[0] = {frame.take(options.features * room_).data(), nullptr};
        Index widest = 0;
        for (Index l = 0; l < layers.size(); ++l) {
            const Index size = layers[l].outputs * room_;
            widest = std::max(widest, size);
            levels_[l + 1] = {frame.take(size).data(), with_slopes ? frame.take(size).data() : nullptr};
        }
        if (with_slopes) delta_ = frame.take(widest).data();
        targets_ = frame.take(room_);
        shares_ = frame.take(room_);
    }

    bool full() const { return held_ == room_; }
    Index held() const { return held_; }

    void add_dense(const Real* features, Real target, Real share) {
        std::copy_n(features, options_.features, next_column(target, share));
    }
    void add_sparse(std::span<const FeatureIndex> indices, ConstView values, Real target, Real share) {
        Real* column = next_column(target, share);
        std::fill_n(column, options_.features, Real{0});
        for (Index k = 0; k < values.size(); ++k) column[indices[k]] = values[k];
    }

    /// The outputs of every held row, a column each.
    Columns forward() {
        for (Index l = 0; l < layers_.size(); ++l) {
            const MlpFamily::Layer& layer = layers_[l];
            Columns sums = at(levels_[l + 1].values, layer.outputs);
            sums.noalias() = weights(layer) * at(levels_[l].values, layer.inputs);
            sums.colwise() += Biases(x_.data() + layer.biases, signed_size(layer.outputs));
            if (l + 1 < layers_.size()) bend(levels_[l + 1], layer.outputs * held_);
        }
        return at(levels_[layers_.size()].values, layers_.back().outputs);
    }

    /// Turns outputs into share times their slopes; returns the sum of share times loss.
    Real judge(Columns outputs) const {
        const Index width = layers_.back().outputs;
        Real total = 0;
        for (Index column = 0; column < held_; ++column) {
            Real* output = outputs.data() + column * width;
            if (options_.classes > 0) {
                total += shares_[column] * softmax_loss({output, width}, targets_[column], shares_[column]);
                continue;
            }
            const LossPoint point = evaluate(options_.loss, *output, targets_[column]);
            total += shares_[column] * point.value;
            *output = shares_[column] * point.slope;
        }
        return total;
    }

    /// Adds the gradient of the held rows; the last level holds the slopes judge() left there.
    void backward(View gradient) {
        for (Index l = layers_.size(); l-- > 0;) {
            const MlpFamily::Layer& layer = layers_[l];
            const Columns slopes = at(levels_[l + 1].values, layer.outputs);
            const Columns inputs = at(levels_[l].values, layer.inputs);
            WeightSlopes(gradient.data() + layer.weights, signed_size(layer.outputs),
                         signed_size(layer.inputs))
                .noalias() += slopes * inputs.transpose();
            BiasSlopes(gradient.data() + layer.biases, signed_size(layer.outputs)) += slopes.rowwise().sum();
            if (l == 0) break;
            // What is below: this layer's slopes carried through its weights and the activation's derivative.
            Columns carried = at(delta_, layer.inputs);
            carried.noalias() = weights(layer).transpose() * slopes;
            at(levels_[l].values, layer.inputs) =
                carried.cwiseProduct(at(levels_[l].derivatives, layer.inputs));
        }
    }

    void clear() { held_ = 0; }

  private:
    struct Level {
        Real* values;       // activations going up, slopes coming down
        Real* derivatives;  // of the activation
    };

    Real* next_column(Real target, Real share) {
        assert(!full());
        targets_[held_] = target;
        shares_[held_] = share;
        return levels_[0].values + options_.features * held_++;
    }
    Columns at(Real* data, Index height) const { return {data, signed_size(height), signed_size(held_)}; }
    Weights weights(const MlpFamily::Layer& layer) const {
        return {x_.data() + layer.weights, signed_size(layer.outputs), signed_size(layer.inputs)};
    }
    void bend(const Level& level, Index count) const {
        for (Index i = 0; i < count; ++i) {
            const LossPoint point = activate(options_.activation, level.values[i]);
            level.values[i] = point.value;
            if (with_slopes_) level.derivatives[i] = point.slope;
        }
    }

    const MlpOptions& options_;
    std::span<const MlpFamily::Layer> layers_;
    ConstView x_;
    Index room_;
    bool with_slopes_;
    std::span<Level> levels_;
    Real* delta_ = nullptr;
    View targets_;
    View shares_;
    Index held_ = 0;
};

}  // namespace

MlpFamily::MlpFamily(MlpOptions options) : options_(std::move(options)) {
    std::vector<std::string> violations;
    if (options_.features == 0) violations.emplace_back("a network needs at least one feature");
    if (options_.classes == 1) violations.emplace_back("softmax needs at least 2 classes");
    for (const Index width : options_.hidden) {
        if (width == 0) violations.emplace_back("a hidden layer needs at least one unit");
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    check_scale(options_.loss);

    std::vector<Index> widths = options_.hidden;
    widths.push_back(std::max<Index>(options_.classes, 1));
    Index inputs = options_.features;
    for (const Index width : widths) {
        layers_.push_back({inputs, width, weights_, 0});
        weights_ += inputs * width;
        inputs = width;
    }
    dimension_ = weights_;
    for (Layer& layer : layers_) {
        layer.biases = dimension_;
        dimension_ += layer.outputs;
    }
}

TargetKind MlpFamily::target_kind() const {
    return options_.classes > 0 ? TargetKind::category : proxstream::target_kind(options_.loss.formula);
}

Real MlpFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                     Scratch& scratch) const {
    assert(x.size() == dimension_ && (gradient.empty() || gradient.size() == dimension_));
    const bool with_slopes = !gradient.empty();
    fill(gradient, 0);
    Index rows = 0;
    for (const RecordRows& record : records) rows += record.rows;
    Scratch::Frame frame(scratch);
    Network network(options_, layers_, x, rows, with_slopes, frame);
    Real total = 0;
    const auto work_off = [&] {
        total += network.judge(network.forward());
        if (with_slopes) network.backward(gradient);
        network.clear();
    };
    for (const RecordRows& record : records) {
        const Real share = record.weight / static_cast<Real>(record.rows);
        for (Index row = 0; row < record.rows; ++row) {
            if (record.sparse != nullptr) {
                network.add_sparse(record.sparse->indices(record.first + row),
                                   record.sparse->values(record.first + row), record.targets[row], share);
            } else {
                network.add_dense(record.dense + row * record.stride, record.targets[row], share);
            }
            if (network.full()) work_off();
        }
    }
    if (network.held() > 0) work_off();
    return total;
}

Real MlpFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    Network network(options_, layers_, x, 1, false, frame);
    if (record.sparse()) {
        network.add_sparse(record.indices(row), record.values(row), 0, 0);
    } else {
        network.add_dense(record.values(row).data(), 0, 0);
    }
    const Columns outputs = network.forward();
    if (options_.classes == 0) return outputs(0, 0);
    Eigen::Index best = 0;
    if (std::isnan(outputs.col(0).sum())) return std::numeric_limits<Real>::quiet_NaN();
    outputs.col(0).maxCoeff(&best);
    return static_cast<Real>(best);
}

std::optional<Real> MlpFamily::smoothness(const RowBlock& /*record*/) const {
    return std::nullopt;
}

void MlpFamily::start(View x, std::uint64_t seed) const {
    assert(x.size() == dimension_);
    fill(x, 0);
    for (const Layer& layer : layers_) {
        const Real spread = 1 / std::sqrt(static_cast<Real>(layer.inputs));
        for (Index i = 0; i < layer.inputs * layer.outputs; ++i) {
            x[layer.weights + i] = spread * normal({.seed = seed, .sample = layer.weights + i});
        }
    }
}

AnyBatch<RowBlock> MlpFamily::make_batch(Index capacity) const {
    return AnyBatch<RowBlock>(Batch(*this, capacity));
}

static_assert(BatchedFamily<MlpFamily>);

}  // namespace proxstream
