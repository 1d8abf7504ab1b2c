/// A small multi-layer perceptron with smooth activations: batched forward passes, and backward passes to its
/// parameters and inputs.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace proxstream {

enum class Activation { tanh, sigmoid, softplus, gelu };

/// values <- activation(values); `derivatives` gets the derivatives there, unless it is null. The
/// absolute error is a few 1e-16. A value's place does not change a bit.
void activate(Activation activation, Real* values, Real* derivatives, Index count);

/// The parameters x hold the weights of every layer, outputs by inputs, row by row, the layer next to the
/// inputs first. The biases of every layer follow in the same order. The last layer has no activation.
class Perceptron {
  public:
    struct Layer {
        Index inputs;
        Index outputs;
        Index weights;  // where they begin in x
        Index biases;
    };

    /// `hidden` are the widths of the hidden layers. Throws ConfigError if there is no input or no
    /// output, or a layer has no unit.
    Perceptron(Index inputs, std::span<const Index> hidden, Index outputs, Activation activation);

    Index inputs() const noexcept { return layers_.front().inputs; }
    Index outputs() const noexcept { return layers_.back().outputs; }
    Index weights() const noexcept { return weights_; }      // x begins with so many
    Index dimension() const noexcept { return dimension_; }  // of x
    Activation activation() const noexcept { return activation_; }
    std::span<const Layer> layers() const noexcept { return layers_; }

    /// Weights normal with variance 1 / inputs of their layer, biases 0.
    void start(View x, std::uint64_t seed) const;

    class Tile;

  private:
    std::vector<Layer> layers_;
    Index weights_ = 0;
    Index dimension_ = 0;
    Activation activation_;
};

/// Up to `room` columns of data that pass through a network together, in the memory of a frame: forward as
/// values, backward as slopes. The results of a column do not depend on the others, to the last bit.
class Perceptron::Tile {
  public:
    /// Columns worked on at a time: enough for matrix products, few enough for the caches.
    static constexpr Index kUsual = 64;

    /// `with_slopes`: backward() will be called.
    Tile(const Perceptron& network, Index room, bool with_slopes, Scratch::Frame& frame);

    Index room() const noexcept { return room_; }
    /// To be filled before forward().
    View input(Index column) { return {levels_[0].values + column * network_->inputs(), network_->inputs()}; }

    /// The outputs of the first `columns` inputs, a column behind the other.
    View forward(ConstView x, Index columns);
    /// After forward(), whose outputs have been replaced by slopes: adds the gradient in x to `gradient`;
    /// an empty view: it is not computed.
    void backward(ConstView x, View gradient);
    /// The same, and returns the slopes at the inputs, which take the inputs' place.
    View backward_to_inputs(ConstView x, View gradient);

  private:
    struct Level {
        Real* values;       // activations in forward(), slopes in backward()
        Real* derivatives;  // of the activation
    };

    /// out = the slopes at a layer's inputs.
    void carry(const Layer& layer, ConstView x, const Real* slopes, Real* out) const;

    const Perceptron* network_;
    Index room_;
    Index columns_ = 0;
    std::span<Level> levels_;
    Real* turned_ = nullptr;   // a layer's weights, inputs by outputs
    Real* carried_ = nullptr;  // slopes times a layer's weights
};

}  // namespace proxstream
