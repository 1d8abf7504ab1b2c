#include "loss/perceptron.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "count_allocations.hpp"
#include "loss/tile_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Activation kActivations[] = {Activation::tanh, Activation::sigmoid, Activation::softplus,
                                       Activation::gelu};

std::vector<Real> normals(Index count, std::uint64_t seed, Real spread = 1) {
    std::vector<Real> out(count);
    for (Index i = 0; i < count; ++i) out[i] = spread * normal({.seed = seed, .sample = i});
    return out;
}

long double definition(Activation activation, long double z) {
    switch (activation) {
        case Activation::tanh:
            return std::tanh(z);
        case Activation::sigmoid:
            return 1 / (1 + std::exp(-z));
        case Activation::softplus:
            return std::max(z, 0.0L) + std::log1p(std::exp(-std::abs(z)));
        case Activation::gelu:
            return z * std::erfc(-z / std::sqrt(2.0L)) / 2;
    }
    return 0;
}

/// One column through the layers, from their definition.
std::vector<long double> definition(const Perceptron& network, ConstView x, ConstView input) {
    std::vector<long double> below(input.begin(), input.end());
    for (const Perceptron::Layer& layer : network.layers()) {
        std::vector<long double> above(layer.outputs);
        for (Index o = 0; o < layer.outputs; ++o) {
            above[o] = x[layer.biases + o];
            for (Index i = 0; i < layer.inputs; ++i)
                above[o] += static_cast<long double>(x[layer.weights + o * layer.inputs + i]) * below[i];
            if (&layer != &network.layers().back()) above[o] = definition(network.activation(), above[o]);
        }
        below = std::move(above);
    }
    return below;
}

TEST(Activations, AreOffByLittleMoreThanRounding) {
    for (const Activation activation : kActivations) {
        std::vector<Real> at;
        for (Real z = -45; z < 45; z += 0.0137) at.push_back(z);
        std::vector<Real> values = at;
        std::vector<Real> slopes(at.size());
        activate(activation, values.data(), slopes.data(), at.size());
        std::vector<Real> alone = at;
        activate(activation, alone.data(), nullptr, at.size());
        EXPECT_EQ(alone, values);
        for (Index i = 0; i < at.size(); ++i) {
            const long double exact = definition(activation, at[i]);
            // Those that grow with z round with their size.
            const Real unit = 1e-15 * std::max<Real>(1, std::abs(at[i]));
            ASSERT_NEAR(values[i], static_cast<Real>(exact), unit) << at[i];
            const long double h = 1e-5L;
            const long double slope =
                (definition(activation, at[i] + h) - definition(activation, at[i] - h)) / (2 * h);
            ASSERT_NEAR(slopes[i], static_cast<Real>(slope), 1e-9) << at[i];
        }
    }
}

TEST(Activations, HandleExtremesAndNaN) {
    constexpr Real kInf = std::numeric_limits<Real>::infinity();
    for (const Activation activation : {Activation::tanh, Activation::sigmoid}) {
        std::vector<Real> values{-kInf, -1e300, -800, 0, 800, 1e300, kInf, std::nan("")};
        std::vector<Real> slopes(values.size());
        activate(activation, values.data(), slopes.data(), values.size());
        const Real low = activation == Activation::tanh ? -1 : 0;
        for (Index i = 0; i < 3; ++i) EXPECT_NEAR(values[i], low, 1e-300);
        EXPECT_EQ(values[3], (1 + low) / 2);
        for (Index i = 4; i < 7; ++i) EXPECT_EQ(values[i], 1);
        for (const Index i : {0, 1, 2, 4, 5, 6}) EXPECT_NEAR(slopes[i], 0, 1e-300);
        EXPECT_TRUE(std::isnan(values[7]) && std::isnan(slopes[7]));
    }
}

TEST(Perceptrons, LayoutIsWeightsThenBiases) {
    const Index hidden[] = {4, 3};
    const Perceptron network(2, hidden, 5, Activation::tanh);
    EXPECT_EQ(network.weights(), 2U * 4 + 4 * 3 + 3 * 5);
    EXPECT_EQ(network.dimension(), network.weights() + 4 + 3 + 5);
    EXPECT_EQ(network.inputs(), 2U);
    EXPECT_EQ(network.outputs(), 5U);
    EXPECT_EQ(network.layers()[1].weights, 8U);
    EXPECT_EQ(network.layers()[1].biases, network.weights() + 4);

    std::vector<Real> x(network.dimension(), 7);
    network.start(x, 3);
    EXPECT_TRUE(std::all_of(x.begin() + static_cast<std::ptrdiff_t>(network.weights()), x.end(),
                            [](Real bias) { return bias == 0; }));
    EXPECT_EQ(x[9], normal({.seed = 3, .sample = 9}) / 2);

    EXPECT_THROW(Perceptron(0, hidden, 1, Activation::tanh), ConfigError);
    EXPECT_THROW(Perceptron(1, hidden, 0, Activation::tanh), ConfigError);
    const Index hollow[] = {3, 0};
    EXPECT_THROW(Perceptron(1, hollow, 1, Activation::tanh), ConfigError);
}

/// sum over columns of c . outputs, its gradient in x (added to what is there) and in the inputs.
struct Evaluated {
    Real value = 0;
    std::vector<Real> gradient, inputs;
};

Evaluated evaluate_network(const Perceptron& network, ConstView x, ConstView inputs, ConstView c,
                           Real already) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const Index columns = inputs.size() / network.inputs();
    Perceptron::Tile tile(network, columns + 3, true, frame);
    for (Index k = 0; k < columns; ++k)
        copy(inputs.subspan(k * network.inputs(), network.inputs()), tile.input(k));
    const View outputs = tile.forward(x, columns);
    Evaluated out;
    out.value = dot(outputs, c);
    copy(c, outputs);
    out.gradient.assign(x.size(), already);
    const View slopes = tile.backward_to_inputs(x, out.gradient);
    out.inputs.assign(slopes.begin(), slopes.end());
    return out;
}

TEST(Perceptrons, ForwardAndBothGradientsAreTheDefinitions) {
    const std::vector<std::vector<Index>> shapes{{}, {5}, {6, 4}};
    for (const Activation activation : kActivations) {
        for (const std::vector<Index>& hidden : shapes) {
            const Perceptron network(3, hidden, 2, activation);
            const std::vector<Real> x = normals(network.dimension(), 1, 0.7);
            for (const Index columns : {Index{1}, Index{7}}) {
                const std::vector<Real> inputs = normals(3 * columns, 2);
                const std::vector<Real> c = normals(2 * columns, 3);
                const auto value = [&](ConstView at, ConstView from) {
                    long double total = 0;
                    for (Index k = 0; k < columns; ++k) {
                        const auto outputs = definition(network, at, from.subspan(3 * k, 3));
                        total += outputs[0] * c[2 * k] + outputs[1] * c[2 * k + 1];
                    }
                    return total;
                };
                const Evaluated got = evaluate_network(network, x, inputs, c, 0.5);
                EXPECT_NEAR(got.value, static_cast<Real>(value(x, inputs)), 1e-13);
                constexpr Real kStep = 1e-4;
                const auto slope = [&](std::vector<Real> at, Index i, const auto& of) {
                    const Real middle = at[i];
                    at[i] = middle + kStep;
                    const long double above = of(at);
                    const Real up = at[i];
                    at[i] = middle - kStep;
                    return static_cast<Real>((above - of(at)) / (up - at[i]));
                };
                for (Index i = 0; i < x.size(); ++i) {
                    ASSERT_NEAR(got.gradient[i] - 0.5,
                                slope(x, i, [&](ConstView at) { return value(at, inputs); }), 1e-6);
                }
                for (Index i = 0; i < inputs.size(); ++i) {
                    ASSERT_NEAR(got.inputs[i],
                                slope(inputs, i, [&](ConstView from) { return value(x, from); }), 1e-6);
                }
            }
        }
    }
}

TEST(Perceptrons, NoColumnDependsOnTheOthers) {
    const Index hidden[] = {11, 17};
    const Perceptron network(3, hidden, 2, Activation::tanh);
    const std::vector<Real> x = normals(network.dimension(), 1);
    constexpr Index kColumns = 13;
    const std::vector<Real> inputs = normals(3 * kColumns, 2);
    const auto through = [&](Index first, Index count) {
        Scratch scratch;
        Scratch::Frame frame(scratch);
        Perceptron::Tile tile(network, count, true, frame);
        for (Index k = 0; k < count; ++k) copy(ConstView(inputs).subspan(3 * (first + k), 3), tile.input(k));
        const View outputs = tile.forward(x, count);
        std::vector<Real> found(outputs.begin(), outputs.end());
        fill(outputs, 1);
        const View slopes = tile.backward_to_inputs(x, {});
        found.insert(found.end(), slopes.begin(), slopes.end());
        return found;
    };
    const std::vector<Real> together = through(0, kColumns);
    for (Index k = 0; k < kColumns; ++k) {
        const std::vector<Real> alone = through(k, 1);
        for (Index i = 0; i < 2; ++i) EXPECT_EQ(alone[i], together[2 * k + i]);
        for (Index i = 0; i < 3; ++i) EXPECT_EQ(alone[2 + i], together[2 * kColumns + 3 * k + i]);
    }
}

struct Shape {
    Index rows, depth, width;
};

void expect_sums_in_order(const Shape& shape, bool add) {
    const auto& [rows, depth, width] = shape;
    const Index left_row = depth + 2;
    const Index right_row = width + 1;
    const Index out_row = width + 3;
    const std::vector<Real> left = normals(rows * left_row, 1);
    const std::vector<Real> right = normals((depth + 1) * right_row, 2);
    std::vector<Real> out = normals(rows * out_row, 3);
    std::vector<Real> expected = out;
    for (Index r = 0; r < rows; ++r) {
        for (Index v = 0; v < width; ++v) {
            Real& sum = expected[r * out_row + v];
            if (!add) sum = 0;
            for (Index k = 0; k < depth; ++k) sum += left[r * left_row + k] * right[k * right_row + v];
        }
    }
    multiply(
        {{left.data(), left_row, 1}, right.data(), right_row, rows, depth, width, add, out.data(), out_row});
    ASSERT_EQ(out, expected) << rows << " " << depth << " " << width;
}

TEST(TileProducts, EveryShapeIsSummedInOrder) {
    for (const Index rows : {1, 7, 8, 19}) {
        for (const Index depth : {0, 1, 5}) {
            for (const Index width : {1, 8, 13, 24}) {
                for (const bool add : {false, true}) expect_sums_in_order({rows, depth, width}, add);
            }
        }
    }
}

TEST(Perceptrons, ATileIsUsedAgainWithoutAllocating) {
    const Index hidden[] = {8, 8};
    const Perceptron network(2, hidden, 1, Activation::tanh);
    const std::vector<Real> x = normals(network.dimension(), 5);
    std::vector<Real> gradient(x.size());
    Scratch scratch;
    const auto work = [&](bool parameters) {
        Scratch::Frame frame(scratch);
        Perceptron::Tile tile(network, 16, true, frame);
        for (Index k = 0; k < 16; ++k) fill(tile.input(k), 0.1 * static_cast<Real>(k));
        View outputs = tile.forward(x, 16);
        fill(outputs, 1);
        const View slopes = tile.backward_to_inputs(x, parameters ? View(gradient) : View{});
        return std::vector<Real>(slopes.begin(), slopes.end());
    };
    const std::vector<Real> first = work(true);
    EXPECT_EQ(work(false), first);  // the inputs' slopes do not need the parameters'
    const std::vector<Real> once = gradient;
    const long before = fixtures::allocations();
    work(true);
    EXPECT_LE(fixtures::allocations() - before, 1);  // the vector returned
    for (Index i = 0; i < once.size(); ++i) EXPECT_NEAR(gradient[i], 2 * once[i], 1e-14);
}

}  // namespace
}  // namespace proxstream
