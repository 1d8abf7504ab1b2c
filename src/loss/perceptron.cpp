#include "proxstream/loss/perceptron.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "loss/activations.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
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

Eigen::Index signed_size(Index size) {
    return static_cast<Eigen::Index>(size);
}

Columns columns_at(Real* data, Index height, Index columns) {
    return {data, signed_size(height), signed_size(columns)};
}

Weights weights_of(const Perceptron::Layer& layer, ConstView x) {
    return {x.data() + layer.weights, signed_size(layer.outputs), signed_size(layer.inputs)};
}

}  // namespace

Perceptron::Perceptron(Index inputs, std::span<const Index> hidden, Index outputs, Activation activation)
    : activation_(activation) {
    std::vector<std::string> violations;
    if (inputs == 0) violations.emplace_back("a network needs at least one input");
    if (outputs == 0) violations.emplace_back("a network needs at least one output");
    for (const Index width : hidden) {
        if (width == 0) violations.emplace_back("a hidden layer needs at least one unit");
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));

    const auto add = [this, &inputs](Index width) {
        layers_.push_back({inputs, width, weights_, 0});
        weights_ += inputs * width;
        inputs = width;
    };
    for (const Index width : hidden) add(width);
    add(outputs);
    dimension_ = weights_;
    for (Layer& layer : layers_) {
        layer.biases = dimension_;
        dimension_ += layer.outputs;
    }
}

void Perceptron::start(View x, std::uint64_t seed) const {
    assert(x.size() == dimension_);
    fill(x, 0);
    for (const Layer& layer : layers_) {
        const Real spread = 1 / std::sqrt(static_cast<Real>(layer.inputs));
        for (Index i = 0; i < layer.inputs * layer.outputs; ++i) {
            x[layer.weights + i] = spread * normal({.seed = seed, .sample = layer.weights + i});
        }
    }
}

Perceptron::Tile::Tile(const Perceptron& network, Index room, bool with_slopes, Scratch::Frame& frame)
    : network_(&network), room_(room) {
    const auto layers = network.layers();
    levels_ = frame.take<Level>(layers.size() + 1);
    levels_[0] = {frame.take(network.inputs() * room).data(), nullptr};
    Index widest = 0;
    for (Index l = 0; l < layers.size(); ++l) {
        const Index size = layers[l].outputs * room;
        const bool hidden = l + 1 < layers.size();
        if (hidden) widest = std::max(widest, size);
        levels_[l + 1] = {frame.take(size).data(), with_slopes && hidden ? frame.take(size).data() : nullptr};
    }
    if (with_slopes) carried_ = frame.take(widest).data();
}

View Perceptron::Tile::forward(ConstView x, Index columns) {
    assert(x.size() == network_->dimension() && columns <= room_);
    columns_ = columns;
    const auto layers = network_->layers();
    for (Index l = 0; l < layers.size(); ++l) {
        const Layer& layer = layers[l];
        const Level& level = levels_[l + 1];
        Columns sums = columns_at(level.values, layer.outputs, columns);
        sums.noalias() = weights_of(layer, x) * columns_at(levels_[l].values, layer.inputs, columns);
        sums.colwise() += Biases(x.data() + layer.biases, signed_size(layer.outputs));
        if (l + 1 < layers.size())
            activate(network_->activation(), level.values, level.derivatives, layer.outputs * columns);
    }
    return {levels_.back().values, network_->outputs() * columns};
}

void Perceptron::Tile::backward(ConstView x, View gradient) {
    assert(gradient.empty() || gradient.size() == network_->dimension());
    const auto layers = network_->layers();
    for (Index l = layers.size(); l-- > 0;) {
        const Layer& layer = layers[l];
        const Columns slopes = columns_at(levels_[l + 1].values, layer.outputs, columns_);
        Columns inputs = columns_at(levels_[l].values, layer.inputs, columns_);
        if (!gradient.empty()) {
            WeightSlopes(gradient.data() + layer.weights, signed_size(layer.outputs),
                         signed_size(layer.inputs))
                .noalias() += slopes * inputs.transpose();
            BiasSlopes(gradient.data() + layer.biases, signed_size(layer.outputs)) += slopes.rowwise().sum();
        }
        if (l == 0) break;
        // What is below: this layer's slopes carried through its weights and the activation's derivative.
        Columns carried = columns_at(carried_, layer.inputs, columns_);
        carried.noalias() = weights_of(layer, x).transpose() * slopes;
        inputs = carried.cwiseProduct(columns_at(levels_[l].derivatives, layer.inputs, columns_));
    }
}

View Perceptron::Tile::backward_to_inputs(ConstView x, View gradient) {
    backward(x, gradient);
    const Layer& layer = network_->layers().front();
    Columns inputs = columns_at(levels_[0].values, layer.inputs, columns_);
    inputs.noalias() =
        weights_of(layer, x).transpose() * columns_at(levels_[1].values, layer.outputs, columns_);
    return {levels_[0].values, layer.inputs * columns_};
}

}  // namespace proxstream
