/// Random rows for the tests of data-row families, and every loss they are run on.
#pragma once

#include "proxstream/core/draw.hpp"

#include "loss/factors_family.hpp"
#include "loss/loss_table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream::fixtures {

/// Every family of the table, in each of its forms. The table test fails for a row that is not here.
inline const std::vector<std::string>& specs() {
    static const std::vector<std::string> all = {
        "squared",
        "huber:0.7",
        "cauchy:0.5",
        "geman-mcclure",
        "welsch:2",
        "tukey:1.5",
        "absolute:0.4",
        "quantile:0.8,width=0.3",
        "logistic",
        "sigmoid",
        "squared-sigmoid",
        "log-difference",
        "tanh",
        "smoothed-hinge",
        "softmax:classes=3",
        "pca",
        "mlp:hidden=4;3,activation=tanh,task=regression",
        "mlp:hidden=5,activation=gelu,task=regression,loss=cauchy:0.5",
        "mlp:hidden=4,task=regression,loss=(quantile:0.2,width=1)",
        "mlp:hidden=4,activation=sigmoid,task=binary",
        "mlp:hidden=3;4,activation=softplus,task=softmax,classes=3",
        "factors:rank=3,rows=5,columns=4",
        "factors:rank=2,rows=3,columns=6,first=0,loss=logistic",
    };
    return all;
}

/// How many features rows of the loss have: `wanted`, where it leaves the choice.
inline Index features_of(std::string_view spec, Index wanted) {
    return spec.starts_with("factors") ? 2 : wanted;
}

struct Source {
    std::uint64_t seed = 1;
    std::uint64_t drawn = 0;
    Real normal() { return proxstream::normal({.seed = seed, .sample = drawn++}); }
    std::uint64_t below(std::uint64_t bound) {
        return uniform_below({.seed = seed, .sample = drawn++}, bound);
    }
    std::vector<Real> point(Index n, Real size = 1) {
        std::vector<Real> x(n);
        for (Real& value : x) value = size * normal();
        return x;
    }
};

/// The same rows in both forms.
struct Twins {
    RowBlock dense{false};
    RowBlock sparse{true};
};

inline Real draw_target(const RowFamily& family, Source& source) {
    switch (family.target_kind()) {
        case TargetKind::number:
            return source.normal();
        case TargetKind::sign:
            return source.below(2) == 0 ? -1 : 1;
        case TargetKind::category:
            return static_cast<Real>(source.below(family.classes()));
        case TargetKind::none:
            break;
    }
    return 0;
}

/// The numbers of an entry of a matrix, or normal features of which a third are 0.
inline std::vector<Real> draw_features(const RowFamily& family, Index features, Source& source) {
    std::vector<Real> values(features, 0);
    const auto* factors = dynamic_cast<const FactorsFamily*>(&family);
    if (factors == nullptr) {
        for (Real& value : values) {
            if (source.below(3) != 0) value = source.normal();
        }
        return values;
    }
    const FactorsOptions& options = factors->options();
    values[0] = static_cast<Real>(options.first + source.below(options.rows));
    values[1] = static_cast<Real>(options.first + source.below(options.columns));
    return values;
}

inline Twins draw_record(const RowFamily& family, Index features, Index rows, Source& source) {
    Twins twins;
    for (Index row = 0; row < rows; ++row) {
        const std::vector<Real> values = draw_features(family, features, source);
        std::vector<FeatureIndex> indices;
        std::vector<Real> stored;
        for (Index i = 0; i < features; ++i) {
            if (values[i] == 0) continue;
            indices.push_back(static_cast<FeatureIndex>(i));
            stored.push_back(values[i]);
        }
        const Real target = draw_target(family, source);
        twins.dense.add_dense(values, target);
        twins.sparse.add_sparse(indices, stored, target);
    }
    return twins;
}

}  // namespace proxstream::fixtures
