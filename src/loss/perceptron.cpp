#include "loss/perceptron.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/violations.hpp"
#include "loss/tile_products.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace proxstream {
Perceptron::Perceptron(Index inputs, std::span<const Index> hidden, Index outputs, Activation activation)
    : activation_(activation) {
    Violations violations;
    violations.require(inputs > 0, "a network needs at least one input");
    violations.require(outputs > 0, "a network needs at least one output");
    for (const Index width : hidden) violations.require(width > 0, "a hidden layer needs at least one unit");
    violations.conclude();

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
    Index largest = 0;
    for (Index l = 0; l < layers.size(); ++l) {
        const Index size = layers[l].outputs * room;
        const bool hidden = l + 1 < layers.size();
        if (hidden) widest = std::max(widest, size);
        largest = std::max(largest, layers[l].inputs * layers[l].outputs);
        levels_[l + 1] = {frame.take(size).data(), with_slopes && hidden ? frame.take(size).data() : nullptr};
    }
    turned_ = frame.take(largest).data();
    if (with_slopes) carried_ = frame.take(widest).data();
}

View Perceptron::Tile::forward(ConstView x, Index columns) {
    assert(x.size() == network_->dimension() && columns <= room_);
    columns_ = columns;
    const auto layers = network_->layers();
    for (Index l = 0; l < layers.size(); ++l) {
        const Layer& layer = layers[l];
        const Level& level = levels_[l + 1];
        const Real* weights = x.data() + layer.weights;
        // Inputs by outputs: a column's outputs lie side by side, so must the weights they are made of.
        for (Index o = 0; o < layer.outputs; ++o) {
            for (Index i = 0; i < layer.inputs; ++i)
                turned_[i * layer.outputs + o] = weights[o * layer.inputs + i];
        }
        const ConstView biases = x.subspan(layer.biases, layer.outputs);
        for (Index c = 0; c < columns; ++c) copy(biases, {level.values + c * layer.outputs, layer.outputs});
        multiply({{levels_[l].values, layer.inputs, 1},
                  turned_,
                  layer.outputs,
                  columns,
                  layer.inputs,
                  layer.outputs,
                  true,
                  level.values,
                  layer.outputs});
        if (l + 1 < layers.size())
            activate(network_->activation(), level.values, level.derivatives, layer.outputs * columns);
    }
    return {levels_.back().values, network_->outputs() * columns};
}

void Perceptron::Tile::carry(const Layer& layer, ConstView x, const Real* slopes, Real* out) const {
    multiply({{slopes, layer.outputs, 1},
              x.data() + layer.weights,
              layer.inputs,
              columns_,
              layer.outputs,
              layer.inputs,
              false,
              out,
              layer.inputs});
}

void Perceptron::Tile::backward(ConstView x, View gradient) {
    assert(gradient.empty() || gradient.size() == network_->dimension());
    const auto layers = network_->layers();
    for (Index l = layers.size(); l-- > 0;) {
        const Layer& layer = layers[l];
        const Real* slopes = levels_[l + 1].values;
        Real* inputs = levels_[l].values;
        if (!gradient.empty()) {
            multiply({{slopes, 1, layer.outputs},
                      inputs,
                      layer.inputs,
                      layer.outputs,
                      columns_,
                      layer.inputs,
                      true,
                      gradient.data() + layer.weights,
                      layer.inputs});
            const View biases = gradient.subspan(layer.biases, layer.outputs);
            for (Index c = 0; c < columns_; ++c) axpy(1, {slopes + c * layer.outputs, layer.outputs}, biases);
        }
        if (l == 0) break;
        // What is below: this layer's slopes carried through its weights and the activation's derivative.
        carry(layer, x, slopes, carried_);
        const Real* derivatives = levels_[l].derivatives;
        for (Index i = 0; i < layer.inputs * columns_; ++i) inputs[i] = carried_[i] * derivatives[i];
    }
}

View Perceptron::Tile::backward_to_inputs(ConstView x, View gradient) {
    backward(x, gradient);
    carry(network_->layers().front(), x, levels_[1].values, levels_[0].values);
    return {levels_[0].values, network_->inputs() * columns_};
}

}  // namespace proxstream
